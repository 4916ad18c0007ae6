import { showCounters } from "./thought-stream/counters";
import { Follow } from "./thought-stream/follow";
import { StreamConnection, type ConnectionState } from "./thought-stream/connection";
import { isAnnounced, staleParts, type PagePart, type StreamMessage } from "./thought-stream/event-order";
import { throttled } from "./thought-stream/throttle";

const WORDS: Record<ConnectionState, string> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost. Reconnecting; no events are lost.",
  ended: "Ended",
  refused: "You can no longer see this run.",
};
const REFRESH_EVERY = 400; // ms

/**
 * `<thought-stream src="/ws/jobs/ID/" after="123">` around an `<ol class="stream">` rendered by the server up to event
 * 123; with `over` that event was the last. It appends later events, updates the page's counters, and dispatches
 * `run-tree`, `run-head` and `run-files` on the body for htmx when those parts of the page are stale.
 */
class ThoughtStream extends HTMLElement {
  private connection: StreamConnection | null = null;
  private follow: Follow | null = null;
  private list: HTMLElement | null = null;
  private readonly announcer = document.createElement("div");
  private readonly staleEvents: Record<PagePart, () => void> = {
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
      this.showState("ended");
      return;
    }
    this.announcer.className = "vh";
    this.announcer.setAttribute("aria-live", "polite");
    this.append(this.announcer);
    this.connection = new StreamConnection(src, Number(this.getAttribute("after")) || 0, {
      message: (message) => this.show(message),
      state: (state) => this.showState(state),
    });
  }

  disconnectedCallback(): void {
    this.connection?.close();
    this.follow?.close();
    this.connection = this.follow = null;
  }

  private show(message: StreamMessage): void {
    const { seq, kind, counters, text, html } = message;
    const rows = document.createElement("template");
    rows.innerHTML = html; // our own server's markup, escaped there
    this.list?.querySelector(":scope > .new")?.classList.remove("new");
    rows.content.lastElementChild?.classList.add("new");
    this.list?.append(rows.content);
    this.setAttribute("after", String(seq)); // where to continue if the element is moved in the page
    this.follow?.appended();
    showCounters(counters);
    if (isAnnounced(kind)) this.announcer.textContent = text;
    for (const part of staleParts(kind)) this.staleEvents[part]();
  }

  private showState(state: ConnectionState): void {
    this.dataset.line = state;
    if (state === "ended" || state === "refused") this.list?.querySelector(":scope > .new")?.classList.remove("new");
    const status = this.find("[data-stream-status]");
    if (status && status.textContent !== WORDS[state]) status.textContent = WORDS[state];
  }

  /** Find an element inside this stream or in the section around it. */
  private find<E extends HTMLElement = HTMLElement>(selector: string): E | null {
    return this.querySelector<E>(selector) ?? this.closest("section, main")?.querySelector<E>(selector) ?? null;
  }
}

customElements.define("thought-stream", ThoughtStream);
