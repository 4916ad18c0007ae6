import { Pages } from "./pages";
import { ask, look, NoPreview, type Preview } from "./server";

const POLL = 120; // ms between two looks at whether it is there, more as it takes longer
const SLOWEST = 1000; // ms
const KEPT = "scholium-preview"; // whether it is open, for the next section of this window

/** The preview beside the editor: opened and closed, made anew with every save. */
export class PreviewPane {
  private readonly pages: Pages;
  private running: AbortController | null = null;
  private again = false; // saved while one was under way

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
    document.body.addEventListener("section-saved", () => this.isOpen && this.follow());
    // A comment or a draft is asked for: its panel is where the preview is. (When the page comes up, one is shown
    // anyway.)
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
    this.follow();
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

  /** Show what was saved last. One is under way at a time; what is saved meanwhile comes behind it. */
  private follow(): void {
    if (this.running) {
      this.again = true;
      return;
    }
    const running = (this.running = new AbortController());
    this.element.setAttribute("aria-busy", "true");
    if (!this.element.querySelector("img")) this.say("Setting the pages …");
    void this.make(running.signal)
      .catch((error: unknown) => {
        if (!running.signal.aborted)
          this.say(
            error instanceof NoPreview ? error.message : "The preview could not be shown. Close it and open it again.",
          );
      })
      .finally(() => {
        if (this.running !== running) return;
        this.running = null;
        this.element.setAttribute("aria-busy", "false");
        if (!this.again) return;
        this.again = false;
        this.follow();
      });
  }

  private async make(signal: AbortSignal): Promise<void> {
    let preview = await ask(this.element.dataset.start ?? "", this.pages.looked, signal);
    for (let wait = POLL; preview.state === "waiting"; wait = Math.min(wait * 1.15, SLOWEST)) {
      await new Promise((done) => setTimeout(done, wait));
      signal.throwIfAborted();
      preview = await look(preview, signal);
    }
    if (!preview.pages) return this.say(preview.said);
    await this.pages.show(preview);
    signal.throwIfAborted();
    this.tell(preview);
  }

  private tell({ pages, notes }: Preview): void {
    this.say(`${pages} page${pages === 1 ? "" : "s"}, as saved last.`);
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

  private say(words: string): void {
    this.part("said").textContent = words;
  }

  private part(name: string): HTMLElement {
    return this.element.querySelector<HTMLElement>(`[data-${name}]`)!;
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function store(value: string): void {
  try {
    sessionStorage.setItem(KEPT, value);
  } catch {
    // A browser that keeps nothing opens it closed.
  }
}
