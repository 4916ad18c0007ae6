import type { Entry, Journal, Place } from "./browser-store";

/** Whether this browser stores the text: all of it, its storage is full, or it has none. */
export type StorageState = "all" | "full" | "none";

const PAUSE = 200; // ms between two writes
const SHARE = 10; // writing takes at most a tenth of the time, so very long texts are written less often

/**
 * Writes the unsaved text of one window to the journal, one write at a time and never an older text over a newer one.
 * `entry` returns the text to store, null for none. `onStorageChange` is called when
 * storing starts or stops working.
 */
export class JournalWriter {
  storage: StorageState = "all";
  private written: Entry | null = null;
  private busy: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = PAUSE;

  constructor(
    private readonly journal: Journal | null,
    private readonly place: Place,
    private readonly entry: () => Omit<Entry, keyof Place | "at"> | null,
    private readonly onStorageChange: () => void,
  ) {
    if (!journal) this.storage = "none";
  }

  /** Write soon after a change. */
  writeSoon(): void {
    this.timer ??= setTimeout(() => void this.writeNow(), this.pause);
  }

  /** Write now. Resolves when the write has succeeded or failed. */
  writeNow(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy = (this.busy ?? Promise.resolve()).then(() => this.write());
    return this.busy;
  }

  /** Tell whether this browser has stored exactly `text`. */
  hasStored(text: string): boolean {
    return this.storage === "all" && this.written?.text === text;
  }

  /** Set the entry that is already in the journal for this window, taken over from a closed one. */
  setWritten(entry: Entry): void {
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
      this.setStorage("all");
    } catch (error) {
      this.setStorage(error instanceof Error && error.name === "QuotaExceededError" ? "full" : "none");
    }
  }

  private setStorage(held: StorageState): void {
    if (held === this.storage) return;
    this.storage = held;
    this.onStorageChange();
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
