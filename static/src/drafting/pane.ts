import { el } from "../cite-dialog/render";

const NEAR = 40; // px from the end that still count as the end
const BREAK = /[ \t]*(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*/;

/**
 * Where a draft appears as it is written. What comes is gathered and drawn once a frame, as text nodes behind those
 * that stand there; the end stays in sight unless the reader scrolls up.
 */
export class Pane {
  readonly element = el("div", {
    class: "proposal coming",
    tabindex: "0",
    role: "region",
    "aria-label": "The draft as it is written",
  });
  private waiting = ""; // not drawn yet
  private frame = 0;
  private last: HTMLElement | null = null;
  private follows = true;
  private top = 0;

  constructor() {
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
  }

  add(text: string): void {
    if (!text) return;
    this.waiting += text;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  clear(): void {
    this.waiting = "";
    this.last = null;
    this.element.replaceChildren();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
  }

  private draw(): void {
    this.frame = 0;
    // White space at the end may be the beginning of an empty line: it waits for what comes behind it.
    const text = this.last ? this.waiting.trimEnd() : this.waiting.trim();
    if (!text) return;
    this.waiting = this.waiting.slice(this.waiting.trimEnd().length);
    text.split(BREAK).forEach((part, n) => {
      if (n || !this.last) this.element.append((this.last = document.createElement("p")));
      this.last.append(part);
    });
    if (this.follows) this.toEnd();
  }

  private toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
    this.top = this.element.scrollTop;
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    if (scrollHeight - scrollTop - clientHeight <= NEAR) this.follows = true;
    else if (scrollTop < this.top) this.follows = false;
    this.top = scrollTop;
  }
}
