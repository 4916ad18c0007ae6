import { askAbout } from "./cite-dialog/confirm";
import { chipOf, el, groupOf, lineFor, optionId, type Group } from "./cite-dialog/render";
import { keysOf } from "./cite-dialog/insert";
import { actOf, step, type Act } from "./cite-dialog/keys";
import type { Answer } from "./cite-dialog/warnings";
import { filled, previewOf, rowOfCited, rowOfPick, rowOfWork, unseen, type Pick, type Row } from "./cite-dialog/rows";
import { look, said, search, type Addresses, type Seen } from "./cite-dialog/server";
import { citeInTextArea } from "./cite-dialog/text-area";
import { citeInEditor, type Text } from "./citation-chips/editor";

type Source = "pubmed" | "crossref";
type Filter = "all" | "library" | Source;
const SOURCES: Record<Source, string> = { pubmed: "PubMed", crossref: "Crossref" };
const PAUSE = 300; // ms without a key until catalogues are asked
const SHORTEST = 2; // characters that catalogues are asked for
const LONGEST = 500;

/**
 * What a `cite` event asks for: `keys` at the caret, with a locator. The dialog is closed while it is told.
 * `cite:left`: nothing.
 */
export interface Citing {
  keys: string[];
  locator: string;
}

/**
 * `<cite-dialog look="…" search="…" add="…">` around the markup of templates/citations/_cite_dialog.html: one box for
 * whatever names a work. It says by a `cite` event what to insert and leaves the text to whoever listens; `open()`
 * opens it.
 *
 * Space adds the current row to the tray only when the arrow keys led to it and nothing was typed since; at all other
 * times it is a space (cite-dialog/keys.ts). Enter inserts what stands under "To insert": the tray and the current row.
 */
export class CiteDialog extends HTMLElement {
  private dialog!: HTMLDialogElement;
  private box!: HTMLInputElement;
  private whole = ""; // what was pasted, with its lines, as long as the box still shows it
  private picks: Pick[] = [];
  private groups: Group[] = [];
  private lines = new Map<string, HTMLElement>();
  private current = -1;
  private reached = false;
  private tray: Row[] = [];
  private inBraces = false;
  private busy = false;
  private filter: Filter = "all";
  private asking = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private pause = 0;

  connectedCallback(): void {
    const dialog = this.querySelector<HTMLDialogElement>("dialog.citing");
    if (!dialog || this.dialog) return;
    this.dialog = dialog;
    this.box = this.its<HTMLInputElement>("box");
    this.box.addEventListener("input", () => this.typed());
    this.box.addEventListener("paste", (event) => this.pasted(event));
    this.box.addEventListener("pointerdown", () => (this.reached = false));
    dialog.addEventListener("keydown", (event) => this.pressed(event));
    dialog.addEventListener("click", (event) => this.clicked(event));
    // The box keeps the focus, so that the next key is typed or moves on.
    this.its("list").addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /**
   * Open it over the text. What was typed last is still there, to be typed over. `inBraces`: `\cite{` was just typed;
   * `words`: what to look up.
   */
  open({ inBraces = false, words = "" } = {}): void {
    if (this.dialog.open) return;
    this.inBraces = inBraces;
    if (inBraces || words) [this.box.value, this.whole] = [words, ""];
    this.dialog.showModal();
    this.box.focus();
    this.box.select();
    this.seek(0);
  }

  close(): void {
    this.asking.abort();
    clearTimeout(this.pause);
    this.dialog.close();
    this.dispatchEvent(new CustomEvent("cite:left"));
  }

  private get at(): Addresses {
    const named = (name: string) => this.getAttribute(name) ?? "";
    return { look: named("look"), search: named("search"), add: named("add") };
  }

  private get text(): string {
    return this.whole || this.box.value;
  }

  private get rows(): Row[] {
    return this.groups.flatMap((group) => group.rows);
  }

  /** What Enter inserts. */
  private get chosen(): Row[] {
    const row = this.rows[this.current];
    return row && !this.isGathered(row) ? [...this.tray, row] : this.tray;
  }

  // What is typed

  private typed(): void {
    this.whole = "";
    this.seek(PAUSE);
  }

  private pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/\S\s*\n\s*\S/.test(text)) return;
    // A box has one line: it shows the lines beside each other, and the text is kept as it is.
    event.preventDefault();
    this.box.value = text
      .split(/\s*\n\s*/)
      .filter(Boolean)
      .join("  ")
      .slice(0, 2000);
    this.whole = text;
    this.seek(0);
  }

  /** Look `text` up: in the thesis at once, in the catalogues after `pause` ms. What was asked before is given up. */
  private seek(pause: number): void {
    this.asking.abort();
    this.asking = new AbortController();
    this.reached = false;
    this.tell("");
    clearTimeout(this.pause);
    const { signal } = this.asking;
    const text = this.text.trim();
    this.looking = this.lookAt(text, signal);
    this.pause = window.setTimeout(() => void this.looking.then(() => this.askAll(text, signal)), pause);
  }

  private async lookAt(text: string, signal: AbortSignal): Promise<void> {
    let seen: Seen;
    try {
      seen = await look(this.at, text, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.picks = [];
      return this.show([], new Map([["library", lineFor(said(error), "wrong")]]));
    }
    if (signal.aborted) return;
    this.picks = seen.picks;
    const heading = text ? "In your library" : "Last added to your library";
    const groups: Group[] = seen.picks.length
      ? [{ name: "picks", heading: "What you pasted", rows: unseen(seen.picks.map(rowOfPick), []) }]
      : [{ name: "library", heading, rows: seen.citations.map(rowOfCited) }];
    this.tray = this.tray.filter((row) => !row.id.startsWith("pick:"));
    if (groups[0] && seen.picks.length > 1) this.tray.push(...groups[0].rows.filter((row) => !this.isGathered(row)));
    this.its("count").textContent = text && !seen.picks.length ? ` ${seen.total}${seen.more ? "+" : ""}` : "";
    this.show(this.wants("library") || seen.picks.length ? groups : [], new Map());
    // Nothing is chosen for somebody who has typed nothing, or pasted many: those are in the tray.
    this.current = text && seen.picks.length < 2 && this.rows.length ? 0 : -1;
    this.draw();
    this.say(this.counted());
  }

  private askAll(text: string, signal: AbortSignal): void {
    if (signal.aborted || !this.dialog.open) return;
    const [pick] = this.picks;
    if (pick) {
      const preview = this.picks.length === 1 ? previewOf(pick) : null;
      if (preview) void this.preview(pick, preview, signal);
      return;
    }
    if (text.length < SHORTEST || text.length > LONGEST) return;
    for (const source of ["pubmed", "crossref"] as const) if (this.wants(source)) void this.ask(source, text, signal);
  }

  private async ask(source: Source, q: string, signal: AbortSignal): Promise<void> {
    const label = SOURCES[source];
    this.line(source, lineFor(`Asking ${label}`, "asking"));
    try {
      const works = await search(this.at, { source, q }, signal);
      if (signal.aborted) return;
      const rows = unseen(works.map(rowOfWork), this.rows);
      this.line(
        source,
        rows.length
          ? null
          : lineFor(
              works.length ? `${label} has nothing that is not above.` : `${label} has nothing for this.`,
              "told",
            ),
      );
      if (rows.length) this.groups.push({ name: source, heading: label, rows });
      if (this.current < 0 && !this.tray.length && this.text) this.current = 0;
      this.draw();
      this.say(`${label}: ${rows.length === 1 ? "1 work" : `${rows.length} works`}`);
    } catch (error) {
      if (signal.aborted) return;
      this.line(source, lineFor(said(error), "wrong"));
      this.say(said(error));
    }
  }

  /** What a pasted identifier stands for, told in its own row. */
  private async preview(pick: Pick, asked: { source: Source; q: string }, signal: AbortSignal): Promise<void> {
    const label = SOURCES[asked.source];
    this.line(asked.source, lineFor(`Asking ${label} what it is`, "asking"));
    try {
      const [work] = await search(this.at, { ...asked, limit: 1 }, signal);
      if (signal.aborted) return;
      this.line(
        asked.source,
        work ? null : lineFor(`${label} knows no work under this. It can be added unproven.`, "told"),
      );
      const group = this.groups[0];
      if (work && group)
        group.rows = group.rows.map((row) => (row.id === rowOfPick(pick).id ? filled(row, work) : row));
      this.draw();
      if (work) this.say(work.title);
    } catch (error) {
      if (signal.aborted) return;
      this.line(
        asked.source,
        lineFor(`${said(error)} You can insert it all the same; it is looked up later.`, "wrong"),
      );
    }
  }

  // Keys and clicks

  private pressed(event: KeyboardEvent): void {
    if (event.target === this.box) {
      const act = actOf(event, { reached: this.reached, empty: !this.box.value, inBraces: this.inBraces });
      if (!act && !event.ctrlKey && !event.altKey && event.key.startsWith("Arrow")) this.reached = false;
      if (act) this.do(act, event);
    } else if (event.key === "Escape") {
      this.do("close", event);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.do("stay", event);
    } else if (event.key === "Enter" && event.target === this.its("locator")) {
      this.do("insert", event);
    }
  }

  private do(act: Exclude<Act, null>, event: Event): void {
    event.preventDefault();
    if (act === "close") this.close();
    else if (act === "next" || act === "previous")
      this.go(step(this.current, act === "next" ? 1 : -1, this.rows.length));
    else if (act === "gather") this.gather(this.rows[this.current]);
    else if (act === "drop") this.gather(this.tray.at(-1));
    else if (act === "literal") this.tellText([this.box.value.trim()].filter(Boolean), false);
    else void this.insert(act === "stay");
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const option = target.closest<HTMLElement>("[role=option]");
    if (option) {
      this.go(Number(option.dataset.place));
      if (event.ctrlKey || event.metaKey || event.shiftKey) this.gather(this.rows[this.current]);
      else void this.insert(false);
    }
    const { act, source } = target.closest<HTMLElement>("button")?.dataset ?? {};
    if (act === "close") this.close();
    if (act === "insert") void this.insert(false);
    if (act === "unproven") void this.insertUnproven();
    if (source) this.choose(source as Filter);
  }

  private choose(filter: Filter): void {
    this.filter = filter;
    for (const button of this.dialog.querySelectorAll<HTMLElement>("[data-source]")) {
      button.setAttribute("aria-pressed", String(button.dataset.source === filter));
    }
    this.seek(0);
  }

  private wants = (source: "library" | Source): boolean => this.filter === "all" || this.filter === source;

  private go(place: number): void {
    this.current = place;
    this.reached = place >= 0;
    this.draw();
    document.getElementById(optionId(place))?.scrollIntoView({ block: "nearest" });
  }

  private isGathered = (row: Row): boolean => this.tray.some((one) => one.id === row.id);

  /** Into the tray, or out of it. */
  private gather(row: Row | undefined): void {
    if (!row) return;
    const was = this.isGathered(row);
    this.tray = was ? this.tray.filter((one) => one.id !== row.id) : [...this.tray, row];
    if (was && this.rows[this.current]?.id === row.id) this.current = -1;
    this.draw();
    this.say(`${row.short} ${was ? "taken out" : "added"}. ${this.tray.length} to insert.`);
  }

  // Inserting

  private async insert(stay: boolean): Promise<void> {
    if (this.busy) return;
    this.working(true);
    await this.looking; // of somebody who pastes and presses Enter at once
    await this.cite(this.chosen, stay);
  }

  private async insertUnproven(): Promise<void> {
    const title = this.text.trim();
    if (this.busy || !title) return;
    this.working(true);
    await this.cite(
      [...this.tray, rowOfPick({ kind: "words", value: title, title, authors: "", year: null, citation: null })],
      false,
    );
  }

  private async cite(rows: readonly Row[], stay: boolean): Promise<void> {
    try {
      const keys = await keysOf(this.at, rows, (row) => this.asked(row));
      if (!this.dialog.open) return; // closed meanwhile: what was added is in the library, and the text is left alone
      if (keys?.length) this.tellText(keys, stay);
      else if (keys) this.tell("Nothing to insert yet. Choose a work, or add it unproven.");
    } catch (error) {
      this.tell(said(error));
    } finally {
      this.working(false);
    }
  }

  /** Ask what has to be asked about a row. Whoever leaves it has it out of the tray. */
  private async asked(row: Row): Promise<Answer> {
    const answer = await askAbout(this.its<HTMLDialogElement>("question"), row);
    if (answer === "leave") {
      this.tray = this.tray.filter((one) => one.id !== row.id);
      this.draw();
      this.box.focus();
    }
    return answer;
  }

  /** Tell the text what to insert. It can be written to only while no dialog is open over it. */
  private tellText(keys: string[], stay: boolean): void {
    const locator = this.its<HTMLInputElement>("locator");
    const detail: Citing = { keys, locator: locator.value };
    this.asking.abort();
    this.dialog.close();
    this.dispatchEvent(new CustomEvent<Citing>("cite", { detail, bubbles: true }));
    this.tray = [];
    this.inBraces = false;
    this.box.value = this.whole = locator.value = "";
    if (!stay) return;
    this.open();
    this.say(`Inserted ${keys.join(", ")}.`);
  }

  private working(busy: boolean): void {
    this.busy = busy;
    this.dialog.querySelector("[data-act=insert]")?.setAttribute("aria-busy", String(busy));
    if (busy) this.tell("");
  }

  // Showing

  private show(groups: Group[], lines: Map<string, HTMLElement>): void {
    this.groups = groups;
    this.lines = lines;
    this.current = -1;
    this.draw();
  }

  private line(source: string, shown: HTMLElement | null): void {
    if (shown) this.lines.set(source, shown);
    else this.lines.delete(source);
    this.its("lines").replaceChildren(...this.lines.values());
  }

  private draw(): void {
    const list = this.its("list");
    let place = 0;
    const drawn = this.groups
      .filter((group) => group.rows.length)
      .map((group) => {
        const made = groupOf(group, place, this.current, this.isGathered);
        place += group.rows.length;
        return made;
      });
    list.replaceChildren(...drawn);
    list.hidden = !place;
    this.its("lines").replaceChildren(...this.lines.values());
    this.box.setAttribute("aria-expanded", String(place > 0));
    if (this.current >= 0) this.box.setAttribute("aria-activedescendant", optionId(this.current));
    else this.box.removeAttribute("aria-activedescendant");
    this.drawTray();
  }

  private drawTray(): void {
    const { chosen } = this;
    const nothing = el("span", { class: "small faint" }, "nothing yet");
    this.its("tray").replaceChildren(...(chosen.length ? chosen.map(chipOf) : [nothing]));
    this.its("insert").textContent = chosen.length > 1 ? `Insert ${chosen.length}` : "Insert";
    this.its("missing").hidden = !this.text.trim() || this.picks.length > 0;
  }

  private counted(): string {
    const count = this.rows.length;
    if (this.picks.length) return `${count === 1 ? "1 work" : `${count} works`} pasted`;
    return this.text ? `${count} in your library` : "";
  }

  private tell(wrong: string): void {
    const line = this.its("wrong");
    line.hidden = !wrong;
    const words = line.querySelector("[data-text]");
    if (words) words.textContent = wrong;
  }

  private say(words: string): void {
    this.its("voice").textContent = words;
  }

  private its<E extends HTMLElement = HTMLElement>(name: string): E {
    const found = this.querySelector<E>(`[data-part="${name}"]`);
    if (!found) throw new Error(`cite-dialog has no part ${name}`);
    return found;
  }
}

customElements.define("cite-dialog", CiteDialog);

const editor = document.querySelector<Text>("section-editor");
for (const dialog of document.querySelectorAll<CiteDialog>("cite-dialog[for]")) {
  if (editor) void customElements.whenDefined("section-editor").then(() => citeInEditor(dialog, editor));
  else citeInTextArea(dialog);
}
