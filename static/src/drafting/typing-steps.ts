import type { StreamMessage } from "../thought-stream/event-order";

export interface Step {
  voids: boolean; // what is shown is to go: the engine began anew
  text: string; // to be added to what is shown
}

/**
 * A draft as it comes: pieces of text by the number of the attempt. What came of an attempt that was given up is void.
 */
export class Coming {
  private attempt = 0;

  /** What a message of the stream adds to what is shown; null for one that is not about the text, or no longer. */
  take({ kind, text, attempt }: Pick<StreamMessage, "kind" | "text" | "attempt">): Step | null {
    if (kind !== "draft_text" || attempt < this.attempt) return null;
    const voids = attempt > this.attempt && this.attempt > 0;
    this.attempt = attempt;
    return { voids, text };
  }
}
