import type { Editable } from "./editable";
import { openJournal, type Entry, type Journal } from "./browser-store";
import { JournalWriter } from "./journal-writer";
import { connectTo, type SaveConnection } from "./save-request";
import {
  initialModel,
  nextSaveAt,
  isClean,
  step,
  unsavedOf,
  type Answer,
  type Effect,
  type SaveEvent,
  type Model,
} from "./state-machine";
import { MergeDialog } from "./merge-dialog";
import { StateLine } from "./state-line";
import { openTab, type Tabs } from "./tabs";
import { mergedNotice, describeState, type SaveAction } from "./messages";

/** The initial state of the page: `#section-state`, written by sections/save_state.py. */
export interface PageState {
  id: string;
  version: number;
  latex: string;
  words: number;
  saved: string | null; // when, ISO 8601
  save: string;
  user: string;
  login: string;
}

const READ_EVERY = 200; // ms between two reads of the text while typing
const LONGEST_TIMER = 2 ** 30;
const PATIENCE = 10_000; // ms to wait for a save

type EventInput = SaveEvent extends infer H ? (H extends { at: number } ? Omit<H, "at"> : never) : never;

/**
 * Saves the text of `editor` automatically: first in this browser, then on the server, merged with what others saved
 * meanwhile. autosave/state-machine.ts decides what to do when.
 */
export class Autosave {
  private model: Model;
  private readonly connection: SaveConnection;
  private readonly state: StateLine;
  private readonly dialog: MergeDialog;
  private journalWriter: JournalWriter;
  private isLeaving = false;
  private readTimer: ReturnType<typeof setTimeout> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private composing = false;
  private afterComposition: (() => void)[] = []; // waits until a character is composed
  private readonly unclaimed: Entry[] = []; // unsaved texts of closed windows, to be restored

  constructor(
    private readonly editor: Editable,
    private readonly page: PageState,
    private readonly tabs: Tabs,
    private readonly journal: Journal | null,
    parts: { save: HTMLElement; merge: HTMLDialogElement },
  ) {
    this.model = initialModel(
      { version: page.version, text: page.latex },
      page.words,
      page.saved ? Date.parse(page.saved) : 0,
    );
    this.connection = connectTo({ save: page.save, section: page.id, user: page.user });
    this.journalWriter = new JournalWriter(
      journal,
      { user: page.user, section: page.id, tab: tabs.tab },
      () => unsavedOf(this.model),
      () => this.show(),
    );
    this.state = new StateLine(parts.save, page.login, (act) => this.runAction(act));
    this.dialog = new MergeDialog(
      parts.merge,
      `${page.id}:${page.user}`,
      ({ text, aside }) => {
        this.read(); // include what changed while the dialog was open
        this.dispatch({ what: "settled", text, aside });
      },
      () => this.dispatch({ what: "postponed" }),
    );
    this.listen();
    this.show();
    this.read(); // text typed before this script loaded
    void this.findUnsaved();
  }

  /** Save now, without waiting for the timer. */
  saveNow(): void {
    this.read();
    this.dispatch({ what: "now" });
  }

  /** Save everything and return the version number; null when that is not possible now or within `PATIENCE`. */
  async saveAndWait(): Promise<number | null> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await shortPause()) {
      this.read();
      if (!this.composing && this.isIdle()) return this.model.base.version;
      if (this.model.asking || this.model.postponed || !navigator.onLine) return null;
      this.dispatch({ what: "now" });
    }
    return null;
  }

  /**
   * Merge a proposal, the change from `base` to `text`, into the current text: one undo step, saved as its own version
   * after the typed text. Resolves when the text has changed. The outcome is "left" when the person kept their own text
   * in every conflict, and "unsaved" when the typed text could not be saved first; then nothing changes. `saved`
   * resolves when the server has the new version, or after `PATIENCE`.
   */
  async propose(base: string, text: string): Promise<{ outcome: "taken" | "left" | "unsaved"; saved: Promise<void> }> {
    const result = (outcome: "taken" | "left" | "unsaved") => ({ outcome, saved: this.proposalSaved() });
    if ((await this.saveAndWait()) === null) return result("unsaved");
    const before = this.model.text;
    this.dispatch({ what: "proposed", base, text });
    const hadConflict = this.model.asking !== null;
    while (this.model.asking) await shortPause();
    // A text that had the change already counts as taken.
    return result(hadConflict && this.model.text === before ? "left" : "taken");
  }

  private async proposalSaved(): Promise<void> {
    for (const until = Date.now() + PATIENCE; this.model.kind === "proposed" && Date.now() < until;) await shortPause();
  }

  private listen(): void {
    this.editor.addEventListener("edited", () => this.readSoon());
    document.addEventListener("save-now", () => this.saveNow());
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s")
        return;
      event.preventDefault();
      this.saveNow();
    });
    document.addEventListener("compositionstart", () => (this.composing = true));
    document.addEventListener("compositionend", () => this.compositionEnded());
    window.addEventListener("online", () => this.saveNow());
    window.addEventListener("offline", () => this.show());
    window.addEventListener("focus", () => this.retry());
    document.addEventListener("visibilitychange", () =>
      document.visibilityState === "hidden" ? this.leave() : this.retry(),
    );
    window.addEventListener("pagehide", () => this.leave());
    window.addEventListener("beforeunload", (event) => {
      this.leave();
      if (!isClean(this.model) && !this.journalWriter.hasStored(this.model.text) && !this.isSent())
        event.preventDefault();
    });
  }

  /** Read the text soon: five times a second while typing, not at every key. */
  private readSoon(): void {
    this.readTimer ??= setTimeout(() => this.read(), READ_EVERY);
  }

  private read(): void {
    clearTimeout(this.readTimer);
    this.readTimer = undefined;
    this.dispatch({ what: "edited", text: this.editor.latex });
  }

  private retry(): void {
    if (this.model.trouble && this.model.trouble.kind !== "refused") this.saveNow();
  }

  /** Write to the journal and send to the server at once, because the window may be closing. */
  private leave(): void {
    this.isLeaving = true;
    this.read();
    if (!this.model.trouble && !this.model.postponed) this.dispatch({ what: "now" });
    void this.journalWriter.writeNow();
    this.isLeaving = false;
  }

  /** Tell whether the text was sent with a request that outlives the page. */
  private isSent(): boolean {
    return (
      navigator.onLine &&
      !this.model.trouble &&
      this.model.sent?.text === this.model.text &&
      this.model.text.length < 20_000
    );
  }

  private dispatch(event: EventInput): void {
    const before = this.model;
    const { model, effects } = step(this.model, { ...event, at: Date.now() } as SaveEvent);
    this.model = model;
    if (
      unsavedOf(model)?.text !== unsavedOf(before)?.text ||
      model.base !== before.base ||
      model.aside !== before.aside ||
      model.doubts !== before.doubts
    ) {
      if (event.what === "edited") this.journalWriter.writeSoon();
      else void this.journalWriter.writeNow();
    }
    effects.forEach((effect) => this.runEffect(effect));
    this.setTimer();
    this.show();
    void this.restoreNext();
  }

  private runEffect(effect: Effect): void {
    switch (effect.do) {
      case "put":
        return this.answer(this.connection.put(effect.text, effect.over, effect.kind, this.isLeaving));
      case "keep":
        return this.answer(this.connection.storeVersion(effect.text));
      case "replace":
        return this.editor.replace(effect.text, { undoable: true });
      case "ask":
        return this.dialog.open(effect.asking);
      case "added":
        return toast(mergedNotice(effect.names));
      case "restored":
        return toast("Unsaved text from a closed window was restored.");
      case "saved":
        return this.acknowledged(effect);
    }
  }

  private answer(request: Promise<Answer>): void {
    void request.then((answer) =>
      this.whenComposed(() => {
        this.read(); // include what was typed during the request
        this.dispatch({ what: "answered", answer });
      }),
    );
  }

  private acknowledged({ version, words }: { version: number; words: number }): void {
    this.state.version(version);
    const clean = isClean(this.model);
    document.body.dispatchEvent(new CustomEvent("section-saved", { detail: { version, words, clean } }));
  }

  /** Run `then` after input composition (accents, Chinese), because the text must not change during it. */
  private whenComposed(then: () => void): void {
    if (this.composing) this.afterComposition.push(then);
    else then();
  }

  private compositionEnded(): void {
    this.composing = false;
    const waiting = this.afterComposition.splice(0);
    setTimeout(() => waiting.forEach((then) => then()));
  }

  private setTimer(): void {
    clearTimeout(this.timer);
    const at = nextSaveAt(this.model);
    if (at !== null)
      this.timer = setTimeout(
        () => this.dispatch({ what: "tick" }),
        Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER),
      );
  }

  private show(): void {
    this.state.show(describeState(this.model, this.journalWriter.storage, navigator.onLine));
  }

  private runAction(act: SaveAction): void {
    if (act === "download") download(this.editor.latex);
    else this.saveNow();
  }

  // Unsaved texts of closed windows

  private async findUnsaved(): Promise<void> {
    await this.tabs.registered;
    const entries = (await this.journal?.unsavedEntries(this.page.user, this.page.id).catch(() => [])) ?? [];
    for (const entry of entries) {
      void this.tabs.whenClosed(entry.tab).then(() => {
        this.unclaimed.push(entry);
        void this.restoreNext();
      });
    }
  }

  private restoring = false;

  private async restoreNext(): Promise<void> {
    if (this.restoring || !this.unclaimed.length || !this.journal || !this.isIdle()) return;
    this.restoring = true;
    try {
      await this.journalWriter.writeNow();
      const entry = await this.journal.claim(this.unclaimed.shift()!, this.tabs.tab);
      if (!entry) return;
      this.read();
      if (!this.isIdle()) {
        // Typing began at this moment: put the entry back, under the id of a window that is closed.
        const back = { ...entry, tab: `${entry.tab}-${Date.now()}` };
        await this.journal.write(back);
        this.unclaimed.push(back);
        this.journalWriter.setWritten(entry);
        await this.journalWriter.writeNow();
        return;
      }
      this.journalWriter.setWritten(entry);
      const { base, text, doubts, aside } = entry;
      this.dispatch({ what: "taken-up", left: { base, text, doubts, aside } });
    } catch {
      // The browser store failed. The entry stays there for the next window.
    } finally {
      this.restoring = false;
      if (this.unclaimed.length) setTimeout(() => void this.restoreNext(), READ_EVERY);
    }
  }

  private isIdle(): boolean {
    return isClean(this.model) && !this.model.sent && !this.model.asking && this.editor.latex === this.model.text;
  }
}

/** Open the journal; null where the browser stores nothing. */
export async function journalOrNone(): Promise<Journal | null> {
  try {
    return await openJournal();
  } catch {
    return null;
  }
}

export { openTab };

function shortPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

function toast(text: string): void {
  document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
}

/** Download the text as a file named after the page. */
function download(latex: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([latex], { type: "text/x-tex;charset=utf-8" }));
  link.download = `${location.pathname.split("/").filter(Boolean).at(-1) ?? "section"}.tex`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
