import { showCounters } from "./thought-stream/counters";
import { Follow } from "./thought-stream/follow";
import { Line, type LineState } from "./thought-stream/connection";
import { isSpoken, refreshes, type Refresh, type StreamMessage } from "./thought-stream/event-order";
import { throttled } from "./thought-stream/throttle";

const WORDS: Record<LineState, string> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost. Nothing is lost; trying again.",
  ended: "Ended",
  refused: "You can no longer see this run.",
};
const REFRESH_EVERY = 400; // ms

/**
 * `<thought-stream src="/ws/jobs/ID/" after="123">` around an `<ol class="stream">` the server has rendered up to event
 * 123; with `over` that event was the last. It adds what comes after, keeps the page's counters, and tells htmx by
 * `run-tree`, `run-head` and `run-files` on the body which parts of the page are stale.
 */
class ThoughtStream extends HTMLElement {
  private line: Line | null = null;
  private follow: Follow | null = null;
  private list: HTMLElement | null = null;
  private readonly voice = document.createElement("div");
  private readonly refresh: Record<Refresh, () => void> = {
    "run-tree": throttled(() => document.body.dispatchEvent(new CustomEvent("run-tree")), REFRESH_EVERY),
    "run-head": throttled(() => document.body.dispatchEvent(new CustomEvent("run-head")), REFRESH_EVERY),
    "run-files": throttled(() => document.body.dispatchEvent(new CustomEvent("run-files")), REFRESH_EVERY),
  };

  connectedCallback(): void {
    this.list = this.querySelector<HTMLElement>("ol.stream");
    const src = this.getAttribute("src");
    if (!this.list || !src) return;
    const section = this.closest<HTMLElement>("[data-scroller], section.thoughts") ?? this;
    this.follow = new Follow(this.list, this.find<HTMLInputElement>("[data-follow]"), section);
    if (this.hasAttribute("over")) {
      this.say("ended");
      return;
    }
    this.voice.className = "vh";
    this.voice.setAttribute("aria-live", "polite");
    this.append(this.voice);
    this.line = new Line(src, Number(this.getAttribute("after")) || 0, {
      message: (message) => this.show(message),
      state: (state) => this.say(state),
    });
  }

  disconnectedCallback(): void {
    this.line?.close();
    this.follow?.close();
    this.line = this.follow = null;
  }

  private show(message: StreamMessage): void {
    const { seq, kind, counters, text, html } = message;
    const rows = document.createElement("template");
    rows.innerHTML = html; // our own server's markup, escaped there
    this.list?.querySelector(":scope > .new")?.classList.remove("new");
    rows.content.lastElementChild?.classList.add("new");
    this.list?.append(rows.content);
    this.setAttribute("after", String(seq)); // taken out of the page and put back, it goes on from here
    this.follow?.appended();
    showCounters(counters);
    if (isSpoken(kind)) this.voice.textContent = text;
    for (const part of refreshes(kind)) this.refresh[part]();
  }

  private say(state: LineState): void {
    this.dataset.line = state;
    if (state === "ended" || state === "refused") this.list?.querySelector(":scope > .new")?.classList.remove("new");
    const status = this.find("[data-stream-status]");
    if (status && status.textContent !== WORDS[state]) status.textContent = WORDS[state];
  }

  /** A part of this stream: inside it, or in the section around it. */
  private find<E extends HTMLElement = HTMLElement>(selector: string): E | null {
    return this.querySelector<E>(selector) ?? this.closest("section, main")?.querySelector<E>(selector) ?? null;
  }
}

customElements.define("thought-stream", ThoughtStream);
