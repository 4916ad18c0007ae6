import { findQuote, utf16Offset } from "../side-panel/comment-places";
import { caretOffset, type TextWithCaret } from "./caret-offset";
import { Pages } from "./pages";
import { startPreview, fetchPreview, pagePlace, textPlace, NoPreview, type Preview } from "./server";

const POLL = 120; // ms between polls at first
const SLOWEST = 1000; // ms
const STORAGE_KEY = "scholium-preview"; // sessionStorage key: whether the preview is open

const BOTH_FIT = "(width >= 80rem)"; // windows with room for the side panel beside the preview (preview.css)
const OWN_SCROLLING = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** The editor, as much of it as the preview needs. */
export interface EditedText extends HTMLElement, TextWithCaret {
  showWords(start: number): void;
  focus(): void;
}

/** The preview beside the editor. It can be opened and closed, and is rendered again after every save. */
export class PreviewPane {
  private readonly pages: Pages;
  private running: AbortController | null = null;
  private rerun = false; // saved while a preview was being rendered
  private shown: Preview | null = null;
  private scrollsToCaret = false; // when the pages are there, unless the person scrolls first

  constructor(
    private readonly element: HTMLElement,
    private readonly button: HTMLButtonElement,
    private readonly editor: EditedText | null,
  ) {
    this.pages = new Pages(this.part("pages"));
    button.hidden = false;
    button.addEventListener("click", () => this.toggle());
    this.part("close").addEventListener("click", () => this.close());
    element.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && this.close());
    document.addEventListener("keydown", (event) => {
      if (!event.ctrlKey || !event.altKey || event.metaKey || event.code !== "KeyP") return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      if (event.shiftKey) this.showCaret();
      else this.toggle();
    });
    this.part("to-caret").addEventListener("click", () => this.showCaret());
    this.pages.onClick((page, x, y) => void this.showInText(page, x, y));
    for (const name of OWN_SCROLLING)
      this.part("pages").addEventListener(name, () => (this.scrollsToCaret = false), { passive: true });
    document.body.addEventListener("section-saved", () => this.isOpen && this.update());
    // In a narrow window a side panel takes the preview's place, but for the one shown while the page loads.
    const makeRoom = () => matchMedia(BOTH_FIT).matches || this.close();
    const others = () => setTimeout(() => document.addEventListener("beside-shown", makeRoom, true));
    if (document.readyState === "complete") others();
    else window.addEventListener("load", others, { once: true });
    if (stored() === "open") this.open();
  }

  private get isOpen(): boolean {
    return !this.element.hidden;
  }

  private toggle(): void {
    if (this.isOpen) return this.close();
    this.scrollsToCaret = true;
    this.open();
    this.part("pages").focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest" });
  }

  private open(): void {
    this.element.hidden = false;
    this.element.closest(".desk")?.classList.add("previewing");
    this.button.setAttribute("aria-expanded", "true");
    store("open");
    this.update();
  }

  private close(): void {
    if (!this.isOpen) return;
    const inside = this.element.contains(document.activeElement);
    this.running?.abort();
    this.running = null;
    this.element.hidden = true;
    this.element.closest(".desk")?.classList.remove("previewing");
    this.button.setAttribute("aria-expanded", "false");
    store("");
    if (inside) this.button.focus();
  }

  /** Render what was saved last. One preview is rendered at a time; a save meanwhile starts the next one. */
  private update(): void {
    if (this.running) {
      this.rerun = true;
      return;
    }
    const running = (this.running = new AbortController());
    this.element.setAttribute("aria-busy", "true");
    if (!this.element.querySelector("img")) this.showStatus("Rendering the pages …");
    void this.load(running.signal)
      .catch((error: unknown) => {
        if (!running.signal.aborted)
          this.showStatus(
            error instanceof NoPreview ? error.message : "The preview could not be shown. Close it and open it again.",
          );
      })
      .finally(() => {
        if (this.running !== running) return;
        this.running = null;
        this.element.setAttribute("aria-busy", "false");
        if (!this.rerun) return;
        this.rerun = false;
        this.update();
      });
  }

  private async load(signal: AbortSignal): Promise<void> {
    let preview = await startPreview(this.element.dataset.start ?? "", this.pages.currentPage, signal);
    for (let wait = POLL; preview.state === "waiting"; wait = Math.min(wait * 1.15, SLOWEST)) {
      await new Promise((done) => setTimeout(done, wait));
      signal.throwIfAborted();
      preview = await fetchPreview(preview, signal);
    }
    if (!preview.pages) return this.showStatus(preview.said);
    await this.pages.show(preview);
    signal.throwIfAborted();
    this.shown = preview;
    this.showResult(preview);
    if (this.scrollsToCaret) void this.scrollToCaret(() => this.scrollsToCaret);
  }

  /** Scroll the preview to the caret; open it first if need be. */
  private showCaret(): void {
    if (this.isOpen && this.shown) return void this.scrollToCaret(() => true);
    this.scrollsToCaret = true;
    if (!this.isOpen) this.open();
  }

  private async scrollToCaret(isWanted: () => boolean): Promise<void> {
    const { editor, shown } = this;
    const section = editor?.getAttribute("section");
    if (!editor || !section || !shown) return;
    const place = await pagePlace(shown, section, caretOffset(editor));
    if (!isWanted() || !this.isOpen) return;
    this.scrollsToCaret = false;
    if (place) this.pages.mark(place.page, place);
    else this.showStatus("These words are not on the pages.");
  }

  /** Put the caret before the words at a point of a page. The text may be newer than the preview. */
  private async showInText(page: number, x: number, y: number): Promise<void> {
    const { editor, shown } = this;
    if (!editor || !shown) return;
    const place = await textPlace(shown, page, x, y);
    if (!place) return this.showStatus("These words are not in the text of this section.");
    const text = editor.latex;
    const words = place.latex.split(/[\r\n]/)[0] ?? "";
    editor.showWords(findQuote(text, words, place.offset)?.start ?? utf16Offset(text, place.offset));
    editor.focus();
  }

  private showResult({ pages, notes }: Preview): void {
    this.showStatus(`${pages} page${pages === 1 ? "" : "s"}, as last saved. Click words to edit them.`);
    const list = this.part("notes");
    list.hidden = !notes.length;
    list.querySelector("summary")!.textContent =
      notes.length === 1 ? "One thing looks different" : `${notes.length} things look different`;
    list.querySelector("ul")!.replaceChildren(
      ...notes.map((note) => {
        const item = document.createElement("li");
        item.textContent = note;
        return item;
      }),
    );
  }

  private showStatus(words: string): void {
    this.part("said").textContent = words;
  }

  private part(name: string): HTMLElement {
    return this.element.querySelector<HTMLElement>(`[data-${name}]`)!;
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? "";
  } catch {
    return "";
  }
}

function store(value: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, value);
  } catch {
    // Without storage the preview starts closed.
  }
}
