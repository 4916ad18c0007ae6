import type { Editor } from "@tiptap/core";
import { showFaults } from "./editor/parse-warning";
import { lineFromAddress, offsetFromAddress, startOfLine, wordsAt } from "./editor/line-position";
import { textView } from "./editor/text-view";
import { connectToolbar, type ToolbarHost } from "./editor/toolbar";
import type {
  ToolbarAction,
  Caret,
  ViewHost,
  ViewKind,
  CreateView,
  Mark,
  Place,
  SelectedText,
  View,
} from "./editor/view";
import { connectFindBar } from "./find/find-bar";
import type { Numbered } from "./editor/numbers";
import { keepCursorPlace } from "./page/cursor-place";
import { printedLabels, type PrintedLabel } from "./editor/printed-labels";
import { paragraphAt, utf16Offset } from "./side-panel/comment-places";
import { parseForVisual, visualView, type ViewFault, type VisualView } from "./editor/visual-view";

/** The printed numbers: of each section by its slug, of the blocks in this section, and of all labels. */
export interface PrintedNumbers {
  sections: Record<string, string>;
  here: Numbered[];
  labels: Record<string, PrintedLabel>;
}

/** The numbers that came with the page (templates/sections/_editor_form.html). */
function numbersOfPage(): Omit<PrintedNumbers, "sections"> {
  const json = document.getElementById("section-numbers")?.textContent;
  return json ? (JSON.parse(json) as Omit<PrintedNumbers, "sections">) : { here: [], labels: {} };
}

const CHOICE = "scholium:view"; // localStorage key of the view chosen last
const IDLE = 400; // ms without typing before the form's text area is updated

/**
 * `<section-editor section version numbers save files pictures>` around the form of
 * templates/sections/_editor_form.html. Its text is `latex`; the text area `#latex` holds the form's value and works
 * alone without scripts. All offsets are UTF-16 units of `latex`. Bubbling events: `edited` (the person changed the
 * text), `selected` (the caret moved, detail Selected), `viewed` (the view changed, detail {view}), `numbered` (new
 * printed numbers, detail Printed) and `save-now` (Ctrl+S).
 */
export class SectionEditor extends HTMLElement implements ToolbarHost {
  private active!: View;
  private box!: HTMLTextAreaElement;
  private stage!: HTMLElement;
  private painted: readonly Mark[] = [];
  private drawTools: () => void = () => undefined;
  private drawFrame = 0;
  private fillTimer = 0;
  private selectedTimer = 0;
  private pendingView: "visual" | "source" | null = null; // the chosen view until it is open
  private hasCursor = false; // true once somebody put it somewhere
  private numbered: PrintedNumbers["here"] = []; // numbers of the saved text
  private pendingText: string | null = null; // a text waiting for the source view to load

  connectedCallback(): void {
    const box = this.querySelector<HTMLTextAreaElement>("textarea#latex");
    const stage = this.querySelector<HTMLElement>("[data-part=stage]");
    if (!box || !stage || this.box) return;
    [this.box, this.stage] = [box, stage];
    const { here, labels } = numbersOfPage();
    this.numbered = here;
    printedLabels.set(labels);
    document.body.addEventListener("section-saved", () => void this.loadNumbers());
    const latex = this.originalText();
    const wantsSource = storedChoice() === "source";
    this.active = textView(this.host(latex));
    if (wantsSource || !this.openVisual(latex)) void this.openSource().then(() => this.showPlaceFromAddress());
    // Preloaded, so that the source view opens at once.
    else whenIdle(() => void import("./latex-source").catch(() => undefined));

    const bar = this.querySelector<HTMLElement>("[role=toolbar]");
    if (bar && box.form) this.drawTools = connectToolbar(bar, box.form, this);
    this.drawTools();
    connectFindBar(this);
    // Whether a button or htmx submits the form, it must contain the current text.
    box.form?.addEventListener("formdata", (event) => event.formData.set("latex", this.latex));
    box.form?.addEventListener("submit", () => this.fillForm(), { capture: true });
    this.addEventListener("keydown", (event) => this.keyPressed(event));
    document.addEventListener("keydown", (event) => this.globalKeyPressed(event));
    addEventListener("pagehide", () => this.keepCursor());
    if (this.view === "visual") this.showPlaceFromAddress();
  }

  /** Scroll to the line or the character in the address, as linked from build errors and from the manuscript. */
  private showPlaceFromAddress(): void {
    const line = lineFromAddress(location.search);
    const at = offsetFromAddress(location.search);
    if (at !== null) requestAnimationFrame(() => this.showWords(utf16Offset(this.latex, at)));
    if (!line) return;
    requestAnimationFrame(() => {
      this.show(startOfLine(this.latex, line));
      this.announce(`Line ${line}`);
    });
  }

  /** Put the caret before the words at `start`. They are not selected, since the next key would replace them. */
  showWords(start: number): void {
    this.show(this.view === "visual" ? wordsAt(this.latex, start) : start);
    const { visual } = this;
    visual?.commands.setTextSelection(visual.state.selection.from);
  }

  /** The current LaTeX. */
  get latex(): string {
    return this.pendingText ?? this.active.latex;
  }

  set latex(text: string) {
    this.replace(text);
  }

  /** Replace the text, changing only what differs. `edited` is not dispatched. */
  replace(text: string, options: { undoable?: boolean } = {}): void {
    const opened = this.view === "visual" ? parseForVisual(text) : null;
    if (opened && "closed" in opened) {
      showFaults(this, opened.closed);
      this.pendingText = text;
      // The source view starts with the old text, so that undo there restores it.
      void this.openSource().then(() => {
        this.pendingText = null;
        this.active.replace(text, options);
        this.fillForm();
        this.drawSoon();
      });
      return;
    }
    this.active.replace(text, options);
    this.fillForm();
    this.drawSoon(); // it may be undone now
  }

  get view(): ViewKind {
    return this.active.kind;
  }

  get current(): View {
    return this.active;
  }

  /** Tiptap's editor while the visual view is open, else null. */
  get visual(): Editor | null {
    return this.view === "visual" ? (this.active as VisualView).tiptap : null;
  }

  get caret(): Caret {
    return this.active.caret;
  }

  get selected(): SelectedText {
    return this.active.selected;
  }

  get marks(): readonly Mark[] {
    return this.painted;
  }

  set marks(list: readonly Mark[]) {
    this.painted = list;
    this.active.marks = list;
  }

  /** Scroll to a place and put the caret there. */
  show(place: Place): void {
    this.active.show(place);
  }

  insert(latex: string): void {
    this.active.insert(latex);
  }

  /** Cite `keys` at the caret; `command` without its backslash, `locator` as typed ("14-16"). */
  insertCite(keys: readonly string[], command = "cite", locator = ""): void {
    this.active.insertCite(keys, command, locator);
  }

  run(act: ToolbarAction): void {
    this.active.run(act);
  }

  picture(file: File): void {
    if (this.view === "visual") (this.active as VisualView).picture(file);
  }

  table(rows: number, columns: number): void {
    if (this.view === "visual") (this.active as VisualView).table(rows, columns);
  }

  override focus(): void {
    this.active.focus();
  }

  /** Switch to the other view at the same place. If the visual view cannot open, the banner says why. */
  async choose(view: "visual" | "source"): Promise<void> {
    if (view === this.view && !this.pendingView) return this.active.focus();
    storeChoice(view);
    this.pendingView = view;
    const source = view === "source" ? await loadSourceView() : null;
    if (this.pendingView !== view) return; // the other view was chosen while this one was loading
    this.pendingView = null;
    if (view === this.view) return this.active.focus();
    const { latex, caret } = this.active; // includes what was typed while the view was loading
    if (source) this.switchTo(source, latex);
    else if (!this.openVisual(latex)) return;
    this.active.show(caret.start);
    this.active.focus();
  }

  private openVisual(latex: string): boolean {
    const opened = parseForVisual(latex);
    if ("closed" in opened) return this.reportFaults(opened.closed);
    try {
      this.switchTo((host) => visualView(host, opened.read), latex);
    } catch (error) {
      console.warn(error);
      return this.reportFaults([{ message: "This text cannot be shown in the visual view. It opens as LaTeX." }]);
    }
    showFaults(this, []);
    return true;
  }

  private reportFaults(why: readonly ViewFault[]): false {
    showFaults(this, why);
    return false;
  }

  private async openSource(): Promise<void> {
    const source = await loadSourceView();
    // Read the text only now, so that typing during loading is not lost.
    if (this.view !== "source") this.switchTo(source, this.active.latex);
  }

  private switchTo(make: (host: ViewHost) => View, latex: string): void {
    const before = this.active;
    const view = make(this.host(latex));
    before.destroy();
    this.active = view;
    this.box.hidden = view.kind !== "text";
    this.setAttribute("view", view.kind);
    if (this.painted.length) view.marks = this.painted;
    if (view.kind === "visual") (view as VisualView).number(this.numbered);
    this.drawTools();
    this.dispatchEvent(new CustomEvent("viewed", { bubbles: true, detail: { view: view.kind } }));
  }

  /** Return the original text with its line endings, which a text area turns into line feeds. */
  private originalText(): string {
    const state = document.getElementById("section-state")?.textContent;
    const latex = state ? (JSON.parse(state) as { latex?: string }).latex : undefined;
    if (latex !== undefined && this.box.dataset.long !== undefined) {
      // A very long text is not repeated in the text area, which is disabled so that an empty text is never submitted.
      this.box.value = latex;
      this.box.disabled = false;
      return latex;
    }
    return latex !== undefined && latex.replace(/\r\n?/g, "\n") === this.box.value ? latex : this.box.value;
  }

  private host(latex: string): ViewHost {
    return {
      editor: this,
      place: this.stage,
      box: this.box,
      latex,
      newline: latex.includes("\r\n") ? "\r\n" : "\n",
      onEdit: () => this.edited(),
      onCaretMove: () => this.moved(),
      announce: (words) => this.announce(words),
    };
  }

  private edited(): void {
    this.dispatchEvent(new CustomEvent("edited", { bubbles: true }));
    clearTimeout(this.fillTimer);
    this.fillTimer = window.setTimeout(() => this.fillForm(), IDLE);
    this.moved();
  }

  /** Keep the place of the cursor for the pages that insert something, once it was moved. */
  private keepCursor(): void {
    const [, project, section] = /^\/projects\/([^/]+)\/sections\/([^/]+)\//.exec(location.pathname) ?? [];
    if (!project || !section || !this.hasCursor) return;
    const { latex, selected } = this;
    keepCursorPlace(
      project,
      section,
      latex,
      selected.end > selected.start ? selected : paragraphAt(latex, selected.start),
    );
  }

  private moved(): void {
    this.hasCursor = true;
    this.drawSoon();
    clearTimeout(this.selectedTimer);
    this.selectedTimer = window.setTimeout(() => {
      this.dispatchEvent(new CustomEvent<SelectedText>("selected", { bubbles: true, detail: this.selected }));
    }, 120);
  }

  private drawSoon(): void {
    this.drawFrame ||= requestAnimationFrame(() => {
      this.drawFrame = 0;
      this.drawTools();
    });
  }

  /** Load the numbers of the saved text and show them unless the text changed meanwhile. */
  private async loadNumbers(): Promise<void> {
    const saved = this.latex;
    const answer = await fetch(this.getAttribute("numbers") ?? "", { headers: { Accept: "application/json" } }).catch(
      () => null,
    );
    if (!answer?.ok || this.latex !== saved) return;
    const printed = (await answer.json()) as PrintedNumbers;
    printedLabels.set(printed.labels);
    this.numbered = printed.here;
    if (this.view === "visual") (this.active as VisualView).number(this.numbered);
    this.dispatchEvent(new CustomEvent<PrintedNumbers>("numbered", { bubbles: true, detail: printed }));
  }

  private fillForm(): void {
    if (this.view !== "text") this.box.value = this.latex;
  }

  private announce(words: string): void {
    const voice = this.querySelector("[data-part=voice]");
    if (voice) voice.textContent = words;
  }

  private keyPressed(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "/") return;
    event.preventDefault();
    void this.choose((this.pendingView ?? this.view) === "visual" ? "source" : "visual");
  }

  private globalKeyPressed(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    const isSave = command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";
    const isSectionStep =
      !command && event.altKey && !event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown");
    // Checked after the keys, so that not every letter searches the page for dialogs.
    if ((!isSave && !isSectionStep) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const outside = event.target instanceof Element && event.target.closest("outline-panel, [popover]") !== null;
    if (isSave) {
      event.preventDefault();
      this.fillForm();
      this.dispatchEvent(new CustomEvent("save-now", { bubbles: true }));
    }
    if (isSectionStep && !outside) {
      const rows = [...document.querySelectorAll<HTMLAnchorElement>(".outline a[href]:not([href^='#'])")];
      const at = rows.findIndex((row) => row.getAttribute("aria-current") === "page");
      const to = at < 0 ? undefined : rows[at + (event.key === "ArrowUp" ? -1 : 1)];
      event.preventDefault();
      to?.click();
    }
  }
}

/** Load the source view; when that fails, fall back to the plain text area. */
async function loadSourceView(): Promise<CreateView> {
  try {
    return (await import("./latex-source")).sourceView;
  } catch (error) {
    console.warn(error);
    return textView;
  }
}

function whenIdle(act: () => void): void {
  const soon = (): void => void ("requestIdleCallback" in window ? requestIdleCallback(act) : setTimeout(act, 1_000));
  if (document.readyState === "complete") soon();
  else addEventListener("load", soon, { once: true });
}

function storedChoice(): string | null {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null; // no storage
  }
}

function storeChoice(view: string): void {
  try {
    localStorage.setItem(CHOICE, view);
  } catch {
    // Without storage the choice is not remembered.
  }
}

customElements.define("section-editor", SectionEditor);
