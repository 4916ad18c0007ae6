import { el } from "../cite-dialog/render";
import { StreamConnection, type ConnectionState } from "../thought-stream/connection";
import type { StreamMessage } from "../thought-stream/event-order";
import { DraftSteps } from "./typing-steps";
import { DraftPane } from "./pane";

const WORDS: Partial<Record<ConnectionState, string>> = {
  connecting: "Waiting for the first words.",
  live: "Waiting for the first words.",
  lost: "Connection lost. Reconnecting; no text is lost.",
  refused: "You can no longer see this draft.",
};

const WRITING = "Being written. You can close this page; it will be here.";

/**
 * Streams a draft into the `[data-part=writing]` of `proposal` while it is being written. Calls `onEnd` when its job
 * has ended.
 */
export class LiveDraft {
  private readonly connection: StreamConnection;
  private readonly pane = new DraftPane();
  private readonly steps = new DraftSteps();
  private hasText = false;

  constructor(proposal: HTMLElement, job: string, onEnd: () => void) {
    const state = el("p", { class: "row small soft", "data-part": "state" });
    proposal.querySelector("[data-waits]")?.remove(); // the stream replaces its polling
    proposal.querySelector("[data-part=writing]")?.replaceWith(state, this.pane.element);
    const showState = (now: ConnectionState): void => {
      const words = now === "live" && this.hasText ? WRITING : WORDS[now];
      if (words && state.textContent !== words) state.textContent = words;
    };
    this.connection = new StreamConnection(`/ws/jobs/${job}/`, 0, {
      message: (message) => {
        if (message.kind === "draft_text") this.hasText = true;
        this.showMessage(message);
        showState("live");
      },
      state: (now) => {
        proposal.dataset.line = now;
        showState(now);
        if (now === "ended") onEnd();
      },
    });
  }

  close(): void {
    this.connection.close();
    this.pane.close();
  }

  private showMessage(message: StreamMessage): void {
    const step = this.steps.stepFor(message);
    if (step?.replaces) this.pane.clear();
    if (step) this.pane.add(step.text);
  }
}
