import { el, drawBadge } from "../cite-dialog/render";
import { stepRow } from "../cite-dialog/keys";
import type { Row } from "../cite-dialog/rows";
import { messageOf } from "../cite-dialog/server";
import { searchLibrary } from "./library";

/** The last row: search outside the library. */
export const elsewhere = Symbol("Search PubMed and Crossref");

type Choice = Row | typeof elsewhere;

const ID = "cite-inline";

/** A list of works from the library at the caret. The focus stays in the text; `input` gets the ARIA attributes. */
export class InlineList {
  private readonly box = el("div", { class: "cite-inline", popover: "manual" });
  private readonly list = el("div", { role: "listbox", id: ID, "aria-label": "Works of your library" });
  private readonly voice = el("p", { class: "vh", role: "status" });
  private rows: Row[] = [];
  private current = -1;
  private words: string | null = null;
  private shown: string | null = null; // the words of the current rows
  private searching: Promise<void> | null = null;
  private abort = new AbortController();

  constructor(
    private readonly input: HTMLElement,
    private readonly choose: (row: Choice, words: string) => Promise<void> | void,
    private readonly close: () => void,
  ) {
    this.box.append(this.list, this.voice);
    document.body.append(this.box);
    // Keeps the focus in the text.
    this.box.addEventListener("pointerdown", (event) => event.preventDefault());
    this.box.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option) void this.choose(this.all[Number(option.dataset.place)]!, this.words ?? "");
    });
  }

  get open(): boolean {
    return this.box.matches(":popover-open");
  }

  /** Show the works that match `words`, below the screen position `at`. */
  show(words: string, at: { left: number; top: number; bottom: number }): void {
    if (words !== this.words) {
      this.words = words;
      this.searching ??= this.search();
    }
    if (!this.open) {
      this.box.showPopover();
      this.input.setAttribute("aria-controls", ID);
    }
    this.position(at);
  }

  hide(): void {
    this.abort.abort();
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

  /** Handle a key; return whether the list used it. */
  keyPressed(event: KeyboardEvent): boolean {
    if (!this.open || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
      return false;
    if (event.key === "Escape") {
      this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.current = stepRow(this.current, event.key === "ArrowDown" ? 1 : -1, this.all.length);
      this.mark();
    } else if (event.key === "Enter" && this.searching && this.words?.trim() === this.words && this.words) {
      // Enter was pressed before the rows for the last key arrived.
      void this.searching.then(() => this.enter());
    } else if (event.key === "Enter" && this.current >= 0) {
      this.enter();
    } else return false;
    event.preventDefault();
    return true;
  }

  private get all(): Choice[] {
    return [...this.rows, elsewhere];
  }

  private enter(): void {
    if (this.open && this.current >= 0) void this.choose(this.all[this.current]!, this.words ?? "");
  }

  /** Search until the rows match the typed words, with one request at a time. */
  private async search(): Promise<void> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    while (this.words !== null && this.words !== this.shown) {
      const words = this.words;
      let problem = "";
      let rows: Row[] = [];
      try {
        rows = await searchLibrary(words, signal);
      } catch (error) {
        if (!signal.aborted) problem = messageOf(error);
      }
      if (signal.aborted) break;
      this.rows = rows;
      this.shown = words;
      // No row is preselected when nothing was typed, or the person goes on with a sentence.
      this.current = words && (rows.length || !/\s$/.test(words)) ? 0 : -1;
      this.draw(words, problem);
    }
    // Closed and opened again meanwhile: search again.
    this.searching = signal.aborted && this.words !== null ? this.search() : null;
    await this.searching;
  }

  private draw(words: string, wrong: string): void {
    const more = words ? `Search PubMed and Crossref for “${words}”` : "Search PubMed and Crossref …";
    const options = this.rows.map((row, place) => drawOption(place, drawTitle(row), drawBadge(row.badge)));
    const last = drawOption(this.rows.length, el("span", {}, more));
    last.classList.add("elsewhere");
    this.list.replaceChildren(...options, last);
    const message = wrong || (this.rows.length ? "" : words ? "No match in your library." : "Your library is empty.");
    const line = this.box.querySelector(".told");
    line?.remove();
    if (message) this.list.before(el("p", { class: `small told ${wrong ? "wrong" : "soft"}` }, message));
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

  private position(at: { left: number; top: number; bottom: number }): void {
    const { style, offsetWidth, offsetHeight } = this.box;
    const below = at.bottom + offsetHeight + 8 < innerHeight || at.top < innerHeight / 2;
    style.left = `${Math.max(8, Math.min(at.left, innerWidth - offsetWidth - 8))}px`;
    style.top = below ? `${at.bottom + 4}px` : "auto";
    style.bottom = below ? "auto" : `${innerHeight - at.top + 4}px`;
  }
}

function drawOption(place: number, ...shown: Node[]): HTMLElement {
  return el(
    "div",
    { role: "option", id: `${ID}-${place}`, "data-place": String(place), "aria-selected": "false" },
    ...shown,
  );
}

function drawTitle(row: Row): HTMLElement {
  const name = row.retracted ? el("s", {}, row.title) : row.title;
  return el(
    "span",
    { class: "work" },
    el("span", { class: "short" }, row.short),
    el("span", { class: "serif title" }, name),
    ...(row.key ? [el("code", {}, row.key)] : []),
  );
}
