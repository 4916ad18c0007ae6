const NEAR = 40; // px from the end that still count as the end

/**
 * Scrolls with the list while its checkbox is on. Scrolling up pauses that, scrolling to the end resumes it, and in
 * between a button shows the number of new rows.
 */
export class Follow {
  private unseen = 0;
  private pending = 0; // appended since the last frame
  private frame = 0;
  private pausedByScroll = false; // paused by scrolling, not by the checkbox
  private top = 0;
  private readonly pill: HTMLButtonElement;
  private readonly count: Text;
  private readonly abort = new AbortController();
  private readonly resized: ResizeObserver;

  constructor(
    private readonly list: HTMLElement,
    private readonly box: HTMLInputElement | null,
    private readonly section: HTMLElement,
  ) {
    this.count = document.createTextNode("");
    this.pill = this.makePill();
    const { signal } = this.abort;
    // On a narrow screen the whole window scrolls, so following is off at first.
    if (!this.scrolls(section) && this.box) this.box.checked = false;
    document.addEventListener("scroll", (event) => this.scrolled(event), { capture: true, passive: true, signal });
    this.pill.addEventListener("click", () => this.resume(), { signal });
    this.box?.addEventListener("change", () => (this.box?.checked ? this.resume() : (this.pausedByScroll = false)), {
      signal,
    });
    // Rows get their real height only when visible, which moves the end.
    this.resized = new ResizeObserver(() => this.on && this.toEnd());
    this.resized.observe(list);
    if (this.on) this.toEnd();
  }

  /** Handle an appended row in the next animation frame, because rows come in bursts. */
  appended(): void {
    this.pending += 1;
    if (this.pending === 1) this.frame = requestAnimationFrame(() => this.update());
  }

  private update(): void {
    const rows = this.pending;
    this.pending = 0;
    if (this.on) {
      this.toEnd();
      return;
    }
    if (this.distance <= NEAR) return;
    this.unseen += rows;
    this.count.data = `${this.unseen.toLocaleString("en-GB")} new`;
    this.pill.hidden = false;
  }

  close(): void {
    this.abort.abort();
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    this.pill.remove();
  }

  private get on(): boolean {
    return this.box?.checked ?? false;
  }

  /** The distance in px from the visible part to the end of the list. */
  private get distance(): number {
    const bottom = this.scrolls(this.section) ? this.section.getBoundingClientRect().bottom : window.innerHeight;
    return this.list.getBoundingClientRect().bottom - bottom;
  }

  private get scroller(): Element {
    return this.scrolls(this.section) ? this.section : (document.scrollingElement ?? document.documentElement);
  }

  private scrolls(element: HTMLElement): boolean {
    return getComputedStyle(element).overflowY !== "visible";
  }

  private scrolled(event: Event): void {
    const from = event.target === document ? document.scrollingElement : event.target;
    if (from !== this.scroller) return;
    const upwards = this.scroller.scrollTop < this.top;
    this.top = this.scroller.scrollTop;
    if (this.distance <= NEAR) {
      if (this.pausedByScroll) this.resume();
      this.clearCount();
    } else if (upwards && this.on && this.box) {
      this.box.checked = false;
      this.pausedByScroll = true;
    }
  }

  private resume(): void {
    if (this.box) this.box.checked = true;
    this.pausedByScroll = false;
    this.clearCount();
    this.toEnd();
  }

  private clearCount(): void {
    this.unseen = 0;
    this.pill.hidden = true;
  }

  private toEnd(): void {
    if (this.scrolls(this.section)) this.section.scrollTop = this.section.scrollHeight;
    else if (this.distance > 0) window.scrollBy(0, this.distance + NEAR / 2);
    this.top = this.scroller.scrollTop;
  }

  private makePill(): HTMLButtonElement {
    const pill = document.createElement("button");
    pill.className = "more";
    pill.type = "button";
    pill.hidden = true;
    const arrow = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    arrow.setAttribute("class", "i");
    arrow.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", "#i-down");
    arrow.append(use);
    pill.append(arrow, this.count);
    this.list.after(pill);
    return pill;
  }
}
