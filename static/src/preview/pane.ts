import { Pages } from "./pages";
import { startPreview, fetchPreview, NoPreview, type Preview } from "./server";

const POLL = 120; // ms between polls at first
const SLOWEST = 1000; // ms
const STORAGE_KEY = "scholium-preview"; // sessionStorage key: whether the preview is open

/** The preview beside the editor. It can be opened and closed, and is rendered again after every save. */
export class PreviewPane {
  private readonly pages: Pages;
  private running: AbortController | null = null;
  private rerun = false; // saved while a preview was being rendered

  constructor(
    private readonly element: HTMLElement,
    private readonly button: HTMLButtonElement,
  ) {
    this.pages = new Pages(this.part("pages"));
    button.hidden = false;
    button.addEventListener("click", () => this.toggle());
    this.part("close").addEventListener("click", () => this.close());
    element.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && this.close());
    document.addEventListener("keydown", (event) => {
      if (!event.ctrlKey || !event.altKey || event.shiftKey || event.metaKey || event.code !== "KeyP") return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.toggle();
    });
    document.body.addEventListener("section-saved", () => this.isOpen && this.update());
    // A side panel takes the preview's place. The panel shown while the page loads does not close the preview.
    const others = () => setTimeout(() => document.addEventListener("beside-shown", () => this.close(), true));
    if (document.readyState === "complete") others();
    else window.addEventListener("load", others, { once: true });
    if (stored() === "open") this.open();
  }

  private get isOpen(): boolean {
    return !this.element.hidden;
  }

  private toggle(): void {
    if (this.isOpen) return this.close();
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
    this.showResult(preview);
  }

  private showResult({ pages, notes }: Preview): void {
    this.showStatus(`${pages} page${pages === 1 ? "" : "s"}, as last saved.`);
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
