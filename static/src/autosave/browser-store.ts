import type { Entry, Journal, Place } from "./journal";

export type Held = "all" | "full" | "none"; // what this browser keeps of the text: all, no room for it, no store at all

const PAUSE = 200; // ms between two writes
const SHARE = 10; // a write may take a tenth of the time: a text of megabytes is written less often

/**
 * Writes the newest entry of one window, never two at a time and never an older one over a newer. `entry` gives what is
 * to be kept now, null for nothing; `told` hears when that changes from possible to impossible and back.
 */
export class Keeper {
  held: Held = "all";
  private written: Entry | null = null;
  private busy: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = PAUSE;

  constructor(
    private readonly journal: Journal | null,
    private readonly place: Place,
    private readonly entry: () => Omit<Entry, keyof Place | "at"> | null,
    private readonly told: () => void,
  ) {
    if (!journal) this.held = "none";
  }

  /** Something has changed: it is written within a moment. */
  soon(): void {
    this.timer ??= setTimeout(() => void this.now(), this.pause);
  }

  /** Write what there is now. Resolves when it is written, or cannot be. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy = (this.busy ?? Promise.resolve()).then(() => this.write());
    return this.busy;
  }

  /** Whether this browser holds exactly `text`. */
  holds(text: string): boolean {
    return this.held === "all" && this.written?.text === text;
  }

  /** What is in the journal for this window already, as it was taken up from a closed one. */
  has(entry: Entry): void {
    this.written = entry;
  }

  private async write(): Promise<void> {
    const wanted = this.entry();
    if (!this.journal || same(wanted, this.written)) return;
    const began = performance.now();
    try {
      if (wanted) {
        const entry = { ...this.place, at: Date.now(), ...wanted };
        await this.journal.write(entry);
        this.written = entry;
      } else {
        await this.journal.remove(this.place);
        this.written = null;
      }
      this.pause = Math.max(PAUSE, (performance.now() - began) * SHARE);
      this.tell("all");
    } catch (error) {
      this.tell(error instanceof Error && error.name === "QuotaExceededError" ? "full" : "none");
    }
  }

  private tell(held: Held): void {
    if (held === this.held) return;
    this.held = held;
    this.told();
  }
}

function same(wanted: Omit<Entry, keyof Place | "at"> | null, written: Entry | null): boolean {
  if (!wanted || !written) return wanted === written;
  return (
    wanted.text === written.text &&
    wanted.base.version === written.base.version &&
    wanted.base.text === written.base.text &&
    wanted.doubts === written.doubts &&
    wanted.aside === written.aside
  );
}
