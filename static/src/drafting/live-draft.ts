import { el } from "../cite-dialog/render";
import { Line, type LineState } from "../thought-stream/connection";
import type { StreamMessage } from "../thought-stream/event-order";
import { Coming } from "./typing-steps";
import { Pane } from "./pane";

const WORDS: Partial<Record<LineState, string>> = {
  connecting: "Waiting for the first words.",
  live: "Waiting for the first words.",
  lost: "Connection lost. Nothing is lost; trying again.",
  refused: "You can no longer see this draft.",
};

const BEGUN = "Being written. You can close this page; it will be here.";

/**
 * A draft as it is written, in the `[data-part=writing]` of `proposal`; `over` is told when its job has come to its
 * end.
 */
export class Watching {
  private readonly line: Line;
  private readonly pane = new Pane();
  private readonly coming = new Coming();
  private begun = false;

  constructor(proposal: HTMLElement, job: string, over: () => void) {
    const state = el("p", { class: "row small soft", "data-part": "state" });
    proposal.querySelector("[data-waits]")?.remove(); // nobody need ask any more
    proposal.querySelector("[data-part=writing]")?.replaceWith(state, this.pane.element);
    const say = (now: LineState): void => {
      const words = now === "live" && this.begun ? BEGUN : WORDS[now];
      if (words && state.textContent !== words) state.textContent = words;
    };
    this.line = new Line(`/ws/jobs/${job}/`, 0, {
      message: (message) => {
        if (message.kind === "draft_text") this.begun = true;
        this.arrived(message);
        say("live");
      },
      state: (now) => {
        proposal.dataset.line = now;
        say(now);
        if (now === "ended") over();
      },
    });
  }

  close(): void {
    this.line.close();
    this.pane.close();
  }

  private arrived(message: StreamMessage): void {
    const step = this.coming.take(message);
    if (step?.voids) this.pane.clear();
    if (step) this.pane.add(step.text);
  }
}
