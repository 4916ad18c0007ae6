import type { Editor } from "@tiptap/core";
import { tellClosed } from "./editor/parse-warning";
import { lineAsked, startOfLine } from "./editor/line-position";
import { textView } from "./editor/text-view";
import { wireToolbar, type Tooled } from "./editor/toolbar";
import type { Act, Caret, Host, Kind, MakeView, Mark, Place, Selected, View } from "./editor/view";
import type { Numbered } from "./editor/numbers";
import { readForPage, visualView, type Closed, type VisualView } from "./editor/visual-view";

/** The numbers that are printed: before the title of each section, by its slug, and within this one. */
export interface Printed {
  sections: Record<string, string>;
  here: Numbered[];
}

const numbersOf = (json: string | null | undefined): Numbered[] => (json ? (JSON.parse(json) as Numbered[]) : []);

const CHOICE = "scholium:view"; // in localStorage: which view the person chose last
const IDLE = 400; // ms without a key until the box of the form gets the text

/**
 * `<section-editor section version numbers save files pictures>` around the form of templates/sections/_editor_form.html. Its
 * text is `latex`; the box `#latex` stays the value of the form and is all there is without scripts. All offsets are
 * UTF-16 units of `latex`.
 *
 * Events, all bubbling: `edited` (the person changed the text), `selected` (detail Selected: the caret moved), `viewed`
 * (detail {view}: another view stands there), `save-now` (Ctrl+S).
 */
export class SectionEditor extends HTMLElement implements Tooled {
  private active!: View;
  private box!: HTMLTextAreaElement;
  private stage!: HTMLElement;
  private painted: readonly Mark[] = [];
  private drawTools: () => void = () => undefined;
  private drawing = 0;
  private filling = 0;
  private telling = 0;
  private asked: "visual" | "source" | null = null; // the view that was chosen, until it stands there
  private numbered: Printed["here"] = []; // as the server counts what is saved
  private coming: string | null = null; // a text that cannot be shown as a page, until the source is there for it

  connectedCallback(): void {
    const box = this.querySelector<HTMLTextAreaElement>("textarea#latex");
    const stage = this.querySelector<HTMLElement>("[data-part=stage]");
    if (!box || !stage || this.box) return;
    [this.box, this.stage] = [box, stage];
    this.numbered = numbersOf(document.getElementById("section-numbers")?.textContent);
    document.body.addEventListener("section-saved", () => void this.countAnew());
    const latex = this.given();
    const wantsSource = choice() === "source";
    this.active = textView(this.host(latex));
    if (wantsSource || !this.openPage(latex)) void this.openSource().then(() => this.showAsked());
    else whenIdle(() => void import("./latex-source").catch(() => undefined)); // whoever asks for it has it at once

    const bar = this.querySelector<HTMLElement>("[role=toolbar]");
    if (bar && box.form) this.drawTools = wireToolbar(bar, box.form, this);
    this.drawTools();
    // The form is sent by a button or by htmx: with the text as it stands at that moment.
    box.form?.addEventListener("formdata", (event) => event.formData.set("latex", this.latex));
    box.form?.addEventListener("submit", () => this.fill(), { capture: true });
    this.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("keydown", (event) => this.pressedAnywhere(event));
    if (this.view === "visual") this.showAsked();
  }

  /** Go to the line that the address asks for, as a build's error does. */
  private showAsked(): void {
    const line = lineAsked(location.search);
    if (!line) return;
    requestAnimationFrame(() => {
      this.show(startOfLine(this.latex, line));
      this.say(`Line ${line}`);
    });
  }

  /** The whole text as it stands now. */
  get latex(): string {
    return this.coming ?? this.active.latex;
  }

  set latex(text: string) {
    this.replace(text);
  }

  /**
   * Put `text` in the place of the whole; only what differs is touched. It is no edit of the person: no `edited` is
   * told.
   */
  replace(text: string, options: { undoable?: boolean } = {}): void {
    const opened = this.view === "visual" ? readForPage(text) : null;
    if (opened && "closed" in opened) {
      tellClosed(this, opened.closed);
      this.coming = text;
      // The source begins with what stood here, so that one undo there takes it back.
      void this.openSource().then(() => {
        this.coming = null;
        this.active.replace(text, options);
        this.fill();
      });
      return;
    }
    this.active.replace(text, options);
    this.fill();
  }

  get view(): Kind {
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

  get selected(): Selected {
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

  run(act: Act): void {
    this.active.run(act);
  }

  picture(file: File): void {
    if (this.view === "visual") (this.active as VisualView).picture(file);
  }

  override focus(): void {
    this.active.focus();
  }

  /**
   * Show the other view at the same place. The page stays closed for LaTeX it could not give back; the banner says why.
   */
  async choose(view: "visual" | "source"): Promise<void> {
    if (view === this.view && !this.asked) return this.active.focus();
    remember(view);
    this.asked = view;
    const source = view === "source" ? await theSource() : null;
    if (this.asked !== view) return; // the other one was chosen while it was fetched
    this.asked = null;
    if (view === this.view) return this.active.focus();
    const { latex, caret } = this.active; // with what was typed while it was fetched
    if (source) this.turn(source, latex);
    else if (!this.openPage(latex)) return;
    this.active.show(caret.start);
    this.active.focus();
  }

  private openPage(latex: string): boolean {
    const opened = readForPage(latex);
    if ("closed" in opened) return this.stayClosed(opened.closed);
    try {
      this.turn((host) => visualView(host, opened.read), latex);
    } catch (error) {
      console.warn(error);
      return this.stayClosed([{ message: "This text cannot be shown as a page. It opens as LaTeX." }]);
    }
    tellClosed(this, []);
    return true;
  }

  private stayClosed(why: readonly Closed[]): false {
    tellClosed(this, why);
    return false;
  }

  private async openSource(): Promise<void> {
    const source = await theSource();
    // What was typed while it was fetched is not lost.
    if (this.view !== "source") this.turn(source, this.active.latex);
  }

  private turn(make: (host: Host) => View, latex: string): void {
    const before = this.active;
    const made = make(this.host(latex));
    before.destroy();
    this.active = made;
    this.box.hidden = made.kind !== "text";
    this.setAttribute("view", made.kind);
    if (this.painted.length) made.marks = this.painted;
    if (made.kind === "visual") (made as VisualView).number(this.numbered);
    this.drawTools();
    this.dispatchEvent(new CustomEvent("viewed", { bubbles: true, detail: { view: made.kind } }));
  }

  /** The text of the page as it was sent, line endings included: a box turns them all into line feeds. */
  private given(): string {
    const state = document.getElementById("section-state")?.textContent;
    const latex = state ? (JSON.parse(state) as { latex?: string }).latex : undefined;
    if (latex !== undefined && this.box.dataset.long !== undefined) {
      // A very long text comes once, not in the box as well; until it is there, the form must not send an empty one.
      this.box.value = latex;
      this.box.disabled = false;
      return latex;
    }
    return latex !== undefined && latex.replace(/\r\n?/g, "\n") === this.box.value ? latex : this.box.value;
  }

  private host(latex: string): Host {
    return {
      editor: this,
      place: this.stage,
      box: this.box,
      latex,
      newline: latex.includes("\r\n") ? "\r\n" : "\n",
      edited: () => this.edited(),
      moved: () => this.moved(),
      say: (words) => this.say(words),
    };
  }

  private edited(): void {
    this.dispatchEvent(new CustomEvent("edited", { bubbles: true }));
    clearTimeout(this.filling);
    this.filling = window.setTimeout(() => this.fill(), IDLE);
    this.moved();
  }

  private moved(): void {
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      this.drawTools();
    });
    clearTimeout(this.telling);
    this.telling = window.setTimeout(() => {
      this.dispatchEvent(new CustomEvent<Selected>("selected", { bubbles: true, detail: this.selected }));
    }, 120);
  }

  /** Ask for the numbers of the text that was saved, and show them where nothing was typed meanwhile. */
  private async countAnew(): Promise<void> {
    const saved = this.latex;
    const answer = await fetch(this.getAttribute("numbers") ?? "", { headers: { Accept: "application/json" } }).catch(
      () => null,
    );
    if (!answer?.ok || this.latex !== saved) return;
    const printed = (await answer.json()) as Printed;
    this.numbered = printed.here;
    if (this.view === "visual") (this.active as VisualView).number(this.numbered);
    this.dispatchEvent(new CustomEvent<Printed>("numbered", { bubbles: true, detail: printed }));
  }

  private fill(): void {
    if (this.view !== "text") this.box.value = this.latex;
  }

  private say(words: string): void {
    const voice = this.querySelector("[data-part=voice]");
    if (voice) voice.textContent = words;
  }

  private pressed(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "/") return;
    event.preventDefault();
    void this.choose((this.asked ?? this.view) === "visual" ? "source" : "visual");
  }

  private pressedAnywhere(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    const saves = command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";
    const leaves =
      !command && event.altKey && !event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown");
    // The page is not searched for dialogs at every letter.
    if ((!saves && !leaves) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const outside = event.target instanceof Element && event.target.closest("outline-panel, [popover]") !== null;
    if (saves) {
      event.preventDefault();
      this.fill();
      this.dispatchEvent(new CustomEvent("save-now", { bubbles: true }));
    }
    if (leaves && !outside) {
      const rows = [...document.querySelectorAll<HTMLAnchorElement>(".outline a[href]:not([href^='#'])")];
      const at = rows.findIndex((row) => row.getAttribute("aria-current") === "page");
      const to = at < 0 ? undefined : rows[at + (event.key === "ArrowUp" ? -1 : 1)];
      event.preventDefault();
      to?.click();
    }
  }
}

/** The view of the LaTeX. Where it cannot be fetched, the plain box: nobody is kept from the text. */
async function theSource(): Promise<MakeView> {
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

function choice(): string | null {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null; // storage is switched off
  }
}

function remember(view: string): void {
  try {
    localStorage.setItem(CHOICE, view);
  } catch {
    // It is chosen anew next time.
  }
}

customElements.define("section-editor", SectionEditor);
