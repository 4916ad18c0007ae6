import { el } from "../cite-dialog/render";

const NEAR = 40; // px from the end that still count as the end
const BREAK = /[ \t]*(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*/;

/**
 * The box that shows a draft while it is being written. New text is collected and appended once per animation frame.
 * The box scrolls along with the text unless the reader scrolls up.
 */
export class DraftPane {
  readonly element = el("div", {
    class: "proposal coming",
    tabindex: "0",
    role: "region",
    "aria-label": "The draft as it is written",
  });
  private pending = ""; // not drawn yet
  private frame = 0;
  private last: HTMLElement | null = null;
  private follows = true;
  private top = 0;

  constructor() {
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
  }

  add(text: string): void {
    if (!text) return;
    this.pending += text;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  clear(): void {
    this.pending = "";
    this.last = null;
    this.element.replaceChildren();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
  }

  private draw(): void {
    this.frame = 0;
    // White space at the end may be the start of an empty line, so it waits for the text that follows.
    const text = this.last ? this.pending.trimEnd() : this.pending.trim();
    if (!text) return;
    this.pending = this.pending.slice(this.pending.trimEnd().length);
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
