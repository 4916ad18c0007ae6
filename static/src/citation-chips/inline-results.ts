import { el, badgeOf } from "../cite-dialog/render";
import { step } from "../cite-dialog/keys";
import type { Row } from "../cite-dialog/rows";
import { said } from "../cite-dialog/server";
import { inLibrary } from "./library";

/** The last row: what the library does not have. */
export const elsewhere = Symbol("Search PubMed and Crossref");

type Chosen = Row | typeof elsewhere;

const ID = "cite-inline";

/**
 * A list of the library beside the caret, while the keyboard stays in the text. `input` is told which row is the
 * current one.
 */
export class InlineList {
  private readonly box = el("div", { class: "cite-inline", popover: "manual" });
  private readonly list = el("div", { role: "listbox", id: ID, "aria-label": "Works of your library" });
  private readonly voice = el("p", { class: "vh", role: "status" });
  private rows: Row[] = [];
  private current = -1;
  private words: string | null = null;
  private shown: string | null = null; // the words that the rows are for
  private looking: Promise<void> | null = null;
  private asking = new AbortController();

  constructor(
    private readonly input: HTMLElement,
    private readonly choose: (row: Chosen, words: string) => Promise<void> | void,
    private readonly close: () => void,
  ) {
    this.box.append(this.list, this.voice);
    document.body.append(this.box);
    // The text keeps the focus.
    this.box.addEventListener("pointerdown", (event) => event.preventDefault());
    this.box.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option) void this.choose(this.all[Number(option.dataset.place)]!, this.words ?? "");
    });
  }

  get open(): boolean {
    return this.box.matches(":popover-open");
  }

  /** Show what `words` find, under the place `at` of the screen. */
  show(words: string, at: { left: number; top: number; bottom: number }): void {
    if (words !== this.words) {
      this.words = words;
      this.looking ??= this.look();
    }
    if (!this.open) {
      this.box.showPopover();
      this.input.setAttribute("aria-controls", ID);
    }
    this.put(at);
  }

  hide(): void {
    this.asking.abort();
    this.words = this.shown = null;
    this.rows = [];
    if (this.open) this.box.hidePopover();
    this.input.removeAttribute("aria-activedescendant");
    this.input.removeAttribute("aria-controls");
  }

  destroy(): void {
    this.hide();
    this.box.remove();
  }

  /** Whether the list has taken the key. */
  pressed(event: KeyboardEvent): boolean {
    if (!this.open || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
      return false;
    if (event.key === "Escape") {
      this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.current = step(this.current, event.key === "ArrowDown" ? 1 : -1, this.all.length);
      this.mark();
    } else if (event.key === "Enter" && this.looking && this.words?.trim() === this.words && this.words) {
      // Of somebody who types and presses Enter at once: the rows are those of an earlier key.
      void this.looking.then(() => this.enter());
    } else if (event.key === "Enter" && this.current >= 0) {
      this.enter();
    } else return false;
    event.preventDefault();
    return true;
  }

  private get all(): Chosen[] {
    return [...this.rows, elsewhere];
  }

  private enter(): void {
    if (this.open && this.current >= 0) void this.choose(this.all[this.current]!, this.words ?? "");
  }

  /**
   * Look up what stands there, until what was looked up is what stands there: one request at a time, so that none waits
   * for others.
   */
  private async look(): Promise<void> {
    this.asking = new AbortController();
    const { signal } = this.asking;
    while (this.words !== null && this.words !== this.shown) {
      const words = this.words;
      let wrong = "";
      let rows: Row[] = [];
      try {
        rows = await inLibrary(words, signal);
      } catch (error) {
        if (!signal.aborted) wrong = said(error);
      }
      if (signal.aborted) break;
      this.rows = rows;
      this.shown = words;
      // Nothing is chosen for somebody who has typed nothing yet, or goes on with a sentence.
      this.current = words && (rows.length || !/\s$/.test(words)) ? 0 : -1;
      this.draw(words, wrong);
    }
    // Closed and opened again meanwhile: that asks anew.
    this.looking = signal.aborted && this.words !== null ? this.look() : null;
    await this.looking;
  }

  private draw(words: string, wrong: string): void {
    const more = words ? `Search PubMed and Crossref for “${words}”` : "Search PubMed and Crossref …";
    const options = this.rows.map((row, place) => option(place, title(row), badgeOf(row.badge)));
    const last = option(this.rows.length, el("span", {}, more));
    last.classList.add("elsewhere");
    this.list.replaceChildren(...options, last);
    const told =
      wrong || (this.rows.length ? "" : words ? "Nothing in your library has these words." : "Your library is empty.");
    const line = this.box.querySelector(".told");
    line?.remove();
    if (told) this.list.before(el("p", { class: `small told ${wrong ? "wrong" : "soft"}` }, told));
    this.voice.textContent = wrong || `${this.rows.length} in your library`;
    this.mark();
  }

  private mark(): void {
    for (const [place, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(place === this.current));
      if (place === this.current) option.scrollIntoView({ block: "nearest" });
    }
    if (this.current >= 0) this.input.setAttribute("aria-activedescendant", `${ID}-${this.current}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private put(at: { left: number; top: number; bottom: number }): void {
    const { style, offsetWidth, offsetHeight } = this.box;
    const below = at.bottom + offsetHeight + 8 < innerHeight || at.top < innerHeight / 2;
    style.left = `${Math.max(8, Math.min(at.left, innerWidth - offsetWidth - 8))}px`;
    style.top = below ? `${at.bottom + 4}px` : "auto";
    style.bottom = below ? "auto" : `${innerHeight - at.top + 4}px`;
  }
}

function option(place: number, ...shown: Node[]): HTMLElement {
  return el(
    "div",
    { role: "option", id: `${ID}-${place}`, "data-place": String(place), "aria-selected": "false" },
    ...shown,
  );
}

function title(row: Row): HTMLElement {
  const name = row.retracted ? el("s", {}, row.title) : row.title;
  return el(
    "span",
    { class: "work" },
    el("span", { class: "short" }, row.short),
    el("span", { class: "serif title" }, name),
    ...(row.key ? [el("code", {}, row.key)] : []),
  );
}
