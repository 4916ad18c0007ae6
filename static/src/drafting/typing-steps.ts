import type { StreamMessage } from "../thought-stream/event-order";

/** One update of the text shown for a draft. */
export interface Step {
  replaces: boolean; // clear the shown text first: the engine started over
  text: string; // to append
}

/** Turns the stream's messages into steps. Text of an abandoned attempt is dropped. */
export class DraftSteps {
  private attempt = 0;

  /** Return the step for a message; null when it has no text or belongs to an abandoned attempt. */
  stepFor({ kind, text, attempt }: Pick<StreamMessage, "kind" | "text" | "attempt">): Step | null {
    if (kind !== "draft_text" || attempt < this.attempt) return null;
    const voids = attempt > this.attempt && this.attempt > 0;
    this.attempt = attempt;
    return { replaces: voids, text };
  }
}
