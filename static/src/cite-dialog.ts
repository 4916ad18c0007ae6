import { confirmCitation } from "./cite-dialog/confirm";
import { DialogView } from "./cite-dialog/dialog-view";
import { countMessage, onOneLine, statusLine, optionId, type Group } from "./cite-dialog/render";
import { keysToCite } from "./cite-dialog/insert";
import { actionOf, stepRow, type KeyAction } from "./cite-dialog/keys";
import type { Answer } from "./cite-dialog/warnings";
import {
  withCatalogueData,
  catalogueQueryFor,
  rowOfReference,
  rowOfEntry,
  rowOfWork,
  deduplicate,
  rowOfTitle,
  type CatalogueQuery,
  type RecognisedEntry,
  type Row,
} from "./cite-dialog/rows";
import { lookUp, messageOf, search, type Addresses, type LookUpResult } from "./cite-dialog/server";
import { citeInTextArea } from "./cite-dialog/text-area";
import { citeInEditor, type CitingEditor } from "./citation-chips/editor";

type Source = CatalogueQuery["source"];
type Filter = "all" | "library" | Source;
const SOURCES: Record<Source, string> = { pubmed: "PubMed", crossref: "Crossref" };
const PAUSE = 300; // ms without typing before catalogues are searched
const SHORTEST = 2; // characters of a catalogue search
const LONGEST = 500;

/**
 * The detail of a `cite` event: insert `keys` at the caret with a locator. The dialog is closed while it is dispatched.
 * `cite:left` means that nothing is inserted.
 */
export interface CiteDetail {
  keys: string[];
  locator: string;
}

/**
 * `<cite-dialog look="…" search="…" add="…">` around the markup of templates/citations/_cite_dialog.html: one search
 * field for identifiers, entries and words. It dispatches a `cite` event with the keys to insert; the listener changes
 * the text. `open()` opens it.
 *
 * Space adds the current row to the tray only when the arrow keys led to it and nothing was typed since (see
 * cite-dialog/keys.ts). Enter inserts what is listed under "To insert": the tray and the current row.
 */
export class CiteDialog extends HTMLElement {
  private readonly view = new DialogView(this);
  private dialog!: HTMLDialogElement;
  private box!: HTMLInputElement;
  private pastedText = ""; // the pasted text with its line breaks, until the field is edited
  private picks: RecognisedEntry[] = [];
  private groups: Group[] = [];
  private current = -1;
  private reachedByKey = false;
  private tray: Row[] = [];
  private inBraces = false;
  private opening = 0; // how often it was opened
  private busyIn = 0; // the opening in which something is being cited
  private working: Promise<void> = Promise.resolve();
  private earlier: Promise<void> = Promise.resolve(); // what was begun before it was last opened
  private filter: Filter = "all";
  private searchAbort = new AbortController();
  private libraryLookUp: Promise<void> = Promise.resolve();
  private searchTimer = 0;

  connectedCallback(): void {
    const dialog = this.querySelector<HTMLDialogElement>("dialog.citing");
    if (!dialog || this.dialog) return;
    this.dialog = dialog;
    this.box = this.view.part<HTMLInputElement>("box");
    this.box.addEventListener("input", () => this.fieldEdited());
    this.box.addEventListener("paste", (event) => this.pasted(event));
    this.box.addEventListener("pointerdown", () => (this.reachedByKey = false));
    dialog.addEventListener("keydown", (event) => this.keyPressed(event));
    dialog.addEventListener("click", (event) => this.clicked(event));
    // The search field keeps the focus.
    this.view.part("list").addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /**
   * Open the dialog. The last search is still there, selected. `inBraces`: `\cite{` was just typed; `words`: what to
   * search for.
   */
  open({ inBraces = false, words = "" } = {}): void {
    if (this.dialog.open) return;
    this.opening += 1;
    this.earlier = this.working;
    this.setBusy(0);
    this.inBraces = inBraces;
    if (inBraces || words) [this.box.value, this.pastedText] = [words, ""];
    this.dialog.showModal();
    this.box.focus();
    this.box.select();
    this.startSearch(0);
  }

  close(): void {
    this.searchAbort.abort();
    clearTimeout(this.searchTimer);
    this.dialog.close();
    this.dispatchEvent(new CustomEvent("cite:left"));
  }

  private get at(): Addresses {
    const named = (name: string) => this.getAttribute(name) ?? "";
    return { look: named("look"), search: named("search"), add: named("add") };
  }

  private get text(): string {
    return this.pastedText || this.box.value;
  }

  private get rows(): Row[] {
    return this.groups.flatMap((group) => group.rows);
  }

  /** The rows that Enter inserts. */
  private get chosen(): Row[] {
    const row = this.rows[this.current];
    return row && !this.isInTray(row) ? [...this.tray, row] : this.tray;
  }

  // Searching

  private fieldEdited(): void {
    this.pastedText = "";
    this.startSearch(PAUSE);
  }

  private pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/\S\s*\n\s*\S/.test(text)) return; // the field has one line; `pastedText` keeps the original
    event.preventDefault();
    this.box.value = onOneLine(text);
    this.pastedText = text;
    this.startSearch(0);
  }

  /** Search the thesis at once and the catalogues after `pause` ms. Aborts the previous search. */
  private startSearch(pause: number): void {
    this.searchAbort.abort();
    this.searchAbort = new AbortController();
    this.reachedByKey = false;
    this.view.showError("");
    clearTimeout(this.searchTimer);
    const { signal } = this.searchAbort;
    const text = this.text.trim();
    this.libraryLookUp = this.searchLibrary(text, signal);
    this.searchTimer = window.setTimeout(
      () => void this.libraryLookUp.then(() => this.searchCatalogues(text, signal)),
      pause,
    );
  }

  private async searchLibrary(text: string, signal: AbortSignal): Promise<void> {
    let found: LookUpResult;
    try {
      await this.earlier; // a work may still have to be removed
      found = await lookUp(this.at, text, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.picks = [];
      return this.show([], new Map([["library", statusLine(messageOf(error), "wrong")]]));
    }
    if (signal.aborted) return;
    this.picks = found.picks;
    const heading = text ? "In your library" : "Last added to your library";
    const groups: Group[] = found.picks.length
      ? [{ name: "picks", heading: "Pasted", rows: deduplicate(found.picks.map(rowOfEntry), []) }]
      : [{ name: "library", heading, rows: found.citations.map(rowOfReference) }];
    this.tray = this.tray.filter((row) => !row.id.startsWith("pick:"));
    if (groups[0] && found.picks.length > 1) this.tray.push(...groups[0].rows.filter((row) => !this.isInTray(row)));
    this.view.part("count").textContent = text && !found.picks.length ? ` ${found.total}${found.more ? "+" : ""}` : "";
    this.show(this.isSearched("library") || found.picks.length ? groups : [], new Map());
    // No row is preselected when nothing was typed, or several works were pasted: those are in the tray.
    this.current = text && found.picks.length < 2 && this.rows.length ? 0 : -1;
    this.draw();
    this.view.announce(countMessage(this.rows.length, { pasted: this.picks.length > 0, searched: !!this.text }));
  }

  private searchCatalogues(text: string, signal: AbortSignal): void {
    if (signal.aborted || !this.dialog.open) return;
    const [pick] = this.picks;
    if (pick) {
      const preview = this.picks.length === 1 ? catalogueQueryFor(pick) : null;
      if (preview) void this.fillEntryRow(pick, preview, signal);
      return;
    }
    if (text.length < SHORTEST || text.length > LONGEST) return;
    for (const source of ["pubmed", "crossref"] as const)
      if (this.isSearched(source)) void this.searchCatalogue(source, text, signal);
  }

  private async searchCatalogue(source: Source, q: string, signal: AbortSignal): Promise<void> {
    const label = SOURCES[source];
    this.view.setLine(source, statusLine(`Searching ${label}`, "asking"));
    try {
      const works = await search(this.at, { source, q }, signal);
      if (signal.aborted) return;
      const rows = deduplicate(works.map(rowOfWork), this.rows);
      this.view.setLine(
        source,
        rows.length
          ? null
          : statusLine(works.length ? `${label} found no further works.` : `${label} found nothing.`, "told"),
      );
      if (rows.length) this.groups.push({ name: source, heading: label, rows });
      if (this.current < 0 && !this.tray.length && this.text) this.current = 0;
      this.draw();
      this.view.announce(`${label}: ${rows.length === 1 ? "1 work" : `${rows.length} works`}`);
    } catch (error) {
      if (signal.aborted) return;
      this.view.setLine(source, statusLine(messageOf(error), "wrong"));
      this.view.announce(messageOf(error));
    }
  }

  /** Look up a pasted identifier and show the work in its row. */
  private async fillEntryRow(pick: RecognisedEntry, query: CatalogueQuery, signal: AbortSignal): Promise<void> {
    const label = SOURCES[query.source];
    this.view.setLine(query.source, statusLine(`Looking it up in ${label}`, "asking"));
    try {
      const [work] = await search(this.at, { ...query, limit: 1 }, signal);
      if (signal.aborted) return;
      this.view.setLine(
        query.source,
        work ? null : statusLine(`${label} has no such work. You can still add it unproven.`, "told"),
      );
      const group = this.groups[0];
      if (work && group)
        group.rows = group.rows.map((row) => (row.id === rowOfEntry(pick).id ? withCatalogueData(row, work) : row));
      this.draw();
      if (work) this.view.announce(work.title);
    } catch (error) {
      if (signal.aborted) return;
      this.view.setLine(
        query.source,
        statusLine(`${messageOf(error)} You can still insert it; it will be looked up later.`, "wrong"),
      );
    }
  }

  // Keys and clicks

  private keyPressed(event: KeyboardEvent): void {
    if (event.target === this.box) {
      const act = actionOf(event, { reached: this.reachedByKey, empty: !this.box.value, inBraces: this.inBraces });
      if (!act && !event.ctrlKey && !event.altKey && event.key.startsWith("Arrow")) this.reachedByKey = false;
      if (act) this.runAction(act, event);
    } else if (event.key === "Escape") {
      this.runAction("close", event);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.runAction("stay", event);
    } else if (event.key === "Enter" && event.target === this.view.part("locator")) {
      this.runAction("insert", event);
    }
  }

  private runAction(act: Exclude<KeyAction, null>, event: Event): void {
    event.preventDefault();
    if (act === "close") this.close();
    else if (act === "next" || act === "previous")
      this.goTo(stepRow(this.current, act === "next" ? 1 : -1, this.rows.length));
    else if (act === "gather") this.toggleInTray(this.rows[this.current]);
    else if (act === "drop") this.toggleInTray(this.tray.at(-1));
    else if (act === "literal") this.dispatchCite([this.box.value.trim()].filter(Boolean), false);
    else this.insert(act === "stay");
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const option = target.closest<HTMLElement>("[role=option]");
    if (option) {
      this.goTo(Number(option.dataset.place));
      if (event.ctrlKey || event.metaKey || event.shiftKey) this.toggleInTray(this.rows[this.current]);
      else this.insert(false);
    }
    const { act, source } = target.closest<HTMLElement>("button")?.dataset ?? {};
    if (act === "close") this.close();
    if (act === "insert") this.insert(false);
    const title = this.text.trim();
    if (act === "unproven" && title) this.cite(() => [...this.tray, rowOfTitle(title)], false);
    if (source) this.choose(source as Filter);
  }

  private choose(filter: Filter): void {
    this.filter = filter;
    for (const button of this.dialog.querySelectorAll<HTMLElement>("[data-source]")) {
      button.setAttribute("aria-pressed", String(button.dataset.source === filter));
    }
    this.startSearch(0);
  }

  private isSearched = (source: "library" | Source): boolean => this.filter === "all" || this.filter === source;

  private goTo(place: number): void {
    this.current = place;
    this.reachedByKey = place >= 0;
    this.draw();
    document.getElementById(optionId(place))?.scrollIntoView({ block: "nearest" });
  }

  private isInTray = (row: Row): boolean => this.tray.some((one) => one.id === row.id);

  /** Add a row to the tray, or remove it. */
  private toggleInTray(row: Row | undefined): void {
    if (!row) return;
    const was = this.isInTray(row);
    this.tray = was ? this.tray.filter((one) => one.id !== row.id) : [...this.tray, row];
    if (was && this.rows[this.current]?.id === row.id) this.current = -1;
    this.draw();
    this.view.announce(`${row.short} ${was ? "removed" : "added"}. ${this.tray.length} to insert.`);
  }

  // Inserting

  private insert(stay: boolean): void {
    this.cite(async () => {
      await this.libraryLookUp; // Enter may be pressed right after pasting
      return this.chosen;
    }, stay);
  }

  /** Cite the rows, once for each opening of the dialog; what was begun before it was closed is finished first. */
  private cite(rows: () => readonly Row[] | Promise<readonly Row[]>, stay: boolean): void {
    const { opening } = this;
    if (this.busyIn === opening) return;
    this.setBusy(opening);
    const isClosed = () => !this.dialog.open || this.opening !== opening;
    const ask = (row: Row) => (isClosed() ? Promise.resolve<Answer>("leave") : this.confirmRow(row));
    this.working = this.working.then(async () => {
      if (isClosed()) return;
      try {
        const keys = await keysToCite(this.at, await rows(), ask);
        if (isClosed()) return; // added works stay in the library, the text does not change
        if (keys?.length) this.dispatchCite(keys, stay);
        else if (keys) this.view.showError("Nothing is selected. Choose a work, or add it unproven.");
      } catch (error) {
        if (!isClosed()) this.view.showError(messageOf(error));
      }
      if (!isClosed()) this.setBusy(0);
    });
  }

  /** Ask for confirmation where a row needs it. On cancel the row is removed from the tray. */
  private async confirmRow(row: Row): Promise<Answer> {
    const answer = await confirmCitation(this.view.part<HTMLDialogElement>("question"), row);
    if (answer === "leave") {
      this.tray = this.tray.filter((one) => one.id !== row.id);
      this.draw();
      this.box.focus();
    }
    return answer;
  }

  /** Close the dialog and dispatch `cite`: the text can change only while no dialog is open over it. */
  private dispatchCite(keys: string[], stay: boolean): void {
    const locator = this.view.part<HTMLInputElement>("locator");
    const detail: CiteDetail = { keys, locator: locator.value };
    this.searchAbort.abort();
    this.dialog.close();
    this.dispatchEvent(new CustomEvent<CiteDetail>("cite", { detail, bubbles: true }));
    this.tray = [];
    this.inBraces = false;
    this.box.value = this.pastedText = locator.value = "";
    if (!stay) return;
    this.open();
    this.view.announce(`Inserted ${keys.join(", ")}.`);
  }

  private setBusy(opening: number): void {
    this.busyIn = opening;
    this.dialog.querySelector("[data-act=insert]")?.setAttribute("aria-busy", String(opening > 0));
    if (opening) this.view.showError("");
  }

  private show(groups: Group[], lines: Map<string, HTMLElement>): void {
    this.groups = groups;
    this.view.setLines(lines);
    this.current = -1;
    this.draw();
  }

  private draw(): void {
    this.view.drawList(this.groups, this.current, this.isInTray);
    this.view.drawTray(this.chosen, this.text.trim() !== "" && this.picks.length === 0);
  }
}

customElements.define("cite-dialog", CiteDialog);

const editor = document.querySelector<CitingEditor>("section-editor");
for (const dialog of document.querySelectorAll<CiteDialog>("cite-dialog[for]")) {
  if (editor) void customElements.whenDefined("section-editor").then(() => citeInEditor(dialog, editor));
  else citeInTextArea(dialog);
}
