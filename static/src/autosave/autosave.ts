import type { Editable } from "./editable";
import { openJournal, type Entry, type Journal } from "./journal";
import { Keeper } from "./browser-store";
import { lineTo, type Line } from "./save-request";
import {
  begin,
  due,
  isClean,
  step,
  unsavedOf,
  type Answer,
  type Effect,
  type Happening,
  type Model,
} from "./state-machine";
import { MergeDialog } from "./merge-dialog";
import { StateLine } from "./state-line";
import { openTab, type Tabs } from "./tabs";
import { addedBy, saidOf, type Act } from "./messages";

/** Where a page starts from: `#section-state`, written by sections/save_state.py. */
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

const READ_EVERY = 200; // ms between two looks at the text while somebody types
const LONGEST_TIMER = 2 ** 30;
const PATIENCE = 10_000; // ms that whoever waits for a save waits

type Told = Happening extends infer H ? (H extends { at: number } ? Omit<H, "at"> : never) : never;

/**
 * Keep safe what is typed into `editor`: first in this browser, then on the server, put together with what others wrote
 * meanwhile.
 * What to do when is decided by autosave/state-machine.ts.
 */
export class Autosave {
  private model: Model;
  private readonly line: Line;
  private readonly state: StateLine;
  private readonly dialog: MergeDialog;
  private keeper: Keeper;
  private leaving = false;
  private reading: ReturnType<typeof setTimeout> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private composing = false;
  private held: (() => void)[] = []; // what waits until a character is put together
  private readonly left: Entry[] = []; // of closed windows, to be taken up

  constructor(
    private readonly editor: Editable,
    private readonly page: PageState,
    private readonly tabs: Tabs,
    private readonly journal: Journal | null,
    parts: { save: HTMLElement; merge: HTMLDialogElement },
  ) {
    this.model = begin(
      { version: page.version, text: page.latex },
      page.words,
      page.saved ? Date.parse(page.saved) : 0,
    );
    this.line = lineTo({ save: page.save, section: page.id, user: page.user });
    this.keeper = new Keeper(
      journal,
      { user: page.user, section: page.id, tab: tabs.tab },
      () => unsavedOf(this.model),
      () => this.show(),
    );
    this.state = new StateLine(parts.save, page.login, (act) => this.act(act));
    this.dialog = new MergeDialog(
      parts.merge,
      `${page.id}:${page.user}`,
      ({ text, aside }) => this.happens({ what: "settled", text, aside }),
      () => this.happens({ what: "postponed" }),
    );
    this.listen();
    this.show();
    this.read(); // typed before this script came
    void this.takeUp();
  }

  /** Save now, whatever the clock says. */
  now(): void {
    this.read();
    this.happens({ what: "now" });
  }

  /**
   * The version in which the server has all that is typed; null when it cannot have it now, or not within `PATIENCE`.
   */
  async saved(): Promise<number | null> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await moment()) {
      this.read();
      if (!this.composing && this.free()) return this.model.base.version;
      if (this.model.asking || this.model.postponed || !navigator.onLine) return null;
      this.happens({ what: "now" });
    }
    return null;
  }

  /**
   * Take of a proposal what makes `text` of `base`: put together with what stands in the text, one step of undo, saved
   * as its own version after what was typed. Resolves when it stands in the text: "left" when the person chose to keep
   * that as it is in every place, "unsaved" when what was typed could not be saved first: then nothing was changed.
   * `saved` resolves when the server has it, or is long in coming.
   */
  async propose(base: string, text: string): Promise<{ outcome: "taken" | "left" | "unsaved"; saved: Promise<void> }> {
    const told = (outcome: "taken" | "left" | "unsaved") => ({ outcome, saved: this.taken() });
    if ((await this.saved()) === null) return told("unsaved");
    const before = this.model.text;
    this.happens({ what: "proposed", base, text });
    const asked = this.model.asking !== null;
    while (this.model.asking) await moment();
    return told(asked && this.model.text === before ? "left" : "taken"); // what stands there already is taken
  }

  private async taken(): Promise<void> {
    for (const until = Date.now() + PATIENCE; this.model.kind === "proposed" && Date.now() < until;) await moment();
  }

  private listen(): void {
    this.editor.addEventListener("edited", () => this.soon());
    document.addEventListener("save-now", () => this.now());
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s")
        return;
      event.preventDefault();
      this.now();
    });
    document.addEventListener("compositionstart", () => (this.composing = true));
    document.addEventListener("compositionend", () => this.composed());
    window.addEventListener("online", () => this.now());
    window.addEventListener("offline", () => this.show());
    window.addEventListener("focus", () => this.retry());
    document.addEventListener("visibilitychange", () =>
      document.visibilityState === "hidden" ? this.leave() : this.retry(),
    );
    window.addEventListener("pagehide", () => this.leave());
    window.addEventListener("beforeunload", (event) => {
      this.leave();
      if (!isClean(this.model) && !this.keeper.holds(this.model.text) && !this.onItsWay()) event.preventDefault();
    });
  }

  /** The person types: the text is looked at five times a second, not at each key. */
  private soon(): void {
    this.reading ??= setTimeout(() => this.read(), READ_EVERY);
  }

  private read(): void {
    clearTimeout(this.reading);
    this.reading = undefined;
    this.happens({ what: "edited", text: this.editor.latex });
  }

  private retry(): void {
    if (this.model.trouble && this.model.trouble.kind !== "refused") this.now();
  }

  /** The window is left, perhaps for good: into the journal, and on the way to the server, at once. */
  private leave(): void {
    this.leaving = true;
    this.read();
    if (!this.model.trouble && !this.model.postponed) this.happens({ what: "now" });
    void this.keeper.now();
    this.leaving = false;
  }

  /** Whether what is typed has been sent, by a request that outlives the page. */
  private onItsWay(): boolean {
    return (
      navigator.onLine &&
      !this.model.trouble &&
      this.model.sent?.text === this.model.text &&
      this.model.text.length < 20_000
    );
  }

  private happens(told: Told): void {
    const before = this.model;
    const { model, effects } = step(this.model, { ...told, at: Date.now() } as Happening);
    this.model = model;
    if (
      unsavedOf(model)?.text !== unsavedOf(before)?.text ||
      model.base !== before.base ||
      model.aside !== before.aside ||
      model.doubts !== before.doubts
    ) {
      if (told.what === "edited") this.keeper.soon();
      else void this.keeper.now();
    }
    effects.forEach((effect) => this.carryOut(effect));
    this.wake();
    this.show();
    void this.takeNext();
  }

  private carryOut(effect: Effect): void {
    switch (effect.do) {
      case "put":
        return this.answer(this.line.put(effect.text, effect.over, effect.kind, this.leaving));
      case "keep":
        return this.answer(this.line.keep(effect.text));
      case "replace":
        return this.editor.replace(effect.text, { undoable: true });
      case "ask":
        return this.dialog.open(effect.asking);
      case "added":
        return toast(addedBy(effect.names));
      case "restored":
        return toast("What you had typed in a window that was closed has been put back.");
      case "saved":
        return this.acknowledged(effect);
    }
  }

  private answer(coming: Promise<Answer>): void {
    void coming.then((answer) =>
      this.whenComposed(() => {
        this.read(); // what was typed while it was on its way counts as mine
        this.happens({ what: "answered", answer });
      }),
    );
  }

  private acknowledged({ version, words }: { version: number; words: number }): void {
    this.state.version(version);
    const clean = isClean(this.model);
    document.body.dispatchEvent(new CustomEvent("section-saved", { detail: { version, words, clean } }));
  }

  /** A text is never changed under a character that is being put together (accents, Chinese). */
  private whenComposed(then: () => void): void {
    if (this.composing) this.held.push(then);
    else then();
  }

  private composed(): void {
    this.composing = false;
    const waiting = this.held.splice(0);
    setTimeout(() => waiting.forEach((then) => then()));
  }

  private wake(): void {
    clearTimeout(this.timer);
    const at = due(this.model);
    if (at !== null)
      this.timer = setTimeout(
        () => this.happens({ what: "tick" }),
        Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER),
      );
  }

  private show(): void {
    this.state.show(saidOf(this.model, this.keeper.held, navigator.onLine));
  }

  private act(act: Act): void {
    if (act === "download") download(this.editor.latex);
    else this.now();
  }

  // What closed windows left

  private async takeUp(): Promise<void> {
    await this.tabs.living;
    const entries = (await this.journal?.left(this.page.user, this.page.id).catch(() => [])) ?? [];
    for (const entry of entries) {
      void this.tabs.gone(entry.tab).then(() => {
        this.left.push(entry);
        void this.takeNext();
      });
    }
  }

  private taking = false;

  private async takeNext(): Promise<void> {
    if (this.taking || !this.left.length || !this.journal || !this.free()) return;
    this.taking = true;
    try {
      await this.keeper.now();
      const entry = await this.journal.takeUp(this.left.shift()!, this.tabs.tab);
      if (!entry) return;
      this.read();
      if (!this.free()) {
        // Somebody typed in this very moment: it waits, under the number of a window that is no more.
        const back = { ...entry, tab: `${entry.tab}-${Date.now()}` };
        await this.journal.write(back);
        this.left.push(back);
        this.keeper.has(entry);
        await this.keeper.now();
        return;
      }
      this.keeper.has(entry);
      const { base, text, doubts, aside } = entry;
      this.happens({ what: "taken-up", left: { base, text, doubts, aside } });
    } catch {
      // The store does not answer. It stays there for the next window.
    } finally {
      this.taking = false;
      if (this.left.length) setTimeout(() => void this.takeNext(), READ_EVERY);
    }
  }

  private free(): boolean {
    return isClean(this.model) && !this.model.sent && !this.model.asking && this.editor.latex === this.model.text;
  }
}

export async function journalOrNone(): Promise<Journal | null> {
  try {
    return await openJournal();
  } catch {
    return null;
  }
}

export { openTab };

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

function toast(text: string): void {
  document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
}

/** The text as a file, named after the page. */
function download(latex: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([latex], { type: "text/x-tex;charset=utf-8" }));
  link.download = `${location.pathname.split("/").filter(Boolean).at(-1) ?? "section"}.tex`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
