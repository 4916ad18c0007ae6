import { drawGroup, drawTrayChip, el, optionId, type Group } from "./render";
import type { Row } from "./rows";

/** The parts of the dialog's markup (templates/citations/_cite_dialog.html): finds them by name and fills them. */
export class DialogView {
  private lines = new Map<string, HTMLElement>();

  constructor(private readonly root: HTMLElement) {}

  /** Return the element `[data-part=name]`. Throws when the markup does not have it. */
  part<E extends HTMLElement = HTMLElement>(name: string): E {
    const found = this.root.querySelector<E>(`[data-part="${name}"]`);
    if (!found) throw new Error(`cite-dialog has no part ${name}`);
    return found;
  }

  /** Announce `words` to screen readers. */
  announce(words: string): void {
    this.part("voice").textContent = words;
  }

  /** Show an error at the foot of the dialog; an empty one hides it. */
  showError(error: string): void {
    const line = this.part("wrong");
    line.hidden = !error;
    const words = line.querySelector("[data-text]");
    if (words) words.textContent = error;
  }

  /** Set or remove the status line of a source below the list. */
  setLine(source: string, line: HTMLElement | null): void {
    if (line) this.lines.set(source, line);
    else this.lines.delete(source);
    this.drawLines();
  }

  /** Replace all status lines; they are drawn with the next `drawList`. */
  setLines(lines: Map<string, HTMLElement>): void {
    this.lines = lines;
  }

  /** Draw the groups of works; `current` is the index of the current row among all rows, -1 for none. */
  drawList(groups: readonly Group[], current: number, isInTray: (row: Row) => boolean): void {
    const list = this.part("list");
    let place = 0;
    const drawn = groups
      .filter((group) => group.rows.length)
      .map((group) => {
        const element = drawGroup(group, place, current, isInTray);
        place += group.rows.length;
        return element;
      });
    list.replaceChildren(...drawn);
    list.hidden = !place;
    this.drawLines();
    const box = this.part("box");
    box.setAttribute("aria-expanded", String(place > 0));
    if (current >= 0) box.setAttribute("aria-activedescendant", optionId(current));
    else box.removeAttribute("aria-activedescendant");
  }

  /** Draw the works that will be inserted, and the offer to add an unproven one when `canAddUnproven`. */
  drawTray(chosen: readonly Row[], canAddUnproven: boolean): void {
    const nothing = el("span", { class: "small faint" }, "nothing yet");
    this.part("tray").replaceChildren(...(chosen.length ? chosen.map(drawTrayChip) : [nothing]));
    this.part("insert").textContent = chosen.length > 1 ? `Insert ${chosen.length}` : "Insert";
    this.part("missing").hidden = !canAddUnproven;
  }

  private drawLines(): void {
    this.part("lines").replaceChildren(...this.lines.values());
  }
}
