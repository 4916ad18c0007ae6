// The logic of saving without a page, clock or network: a model, events and effects. autosave/autosave.ts connects it
// to the page.
import { mergeBlocks, type Merged } from "../latex/merge";
import { FIRST_PAUSE, IDLE, LONGEST, LONGEST_PAUSE, LONGEST_RETRY_AFTER } from "./timings";

const DOUBTS = 4;

/** The kind of a version, as the history shows it. */
export type Kind = "typed" | "merged" | "proposed";

/** A version of the text that the server has. */
export interface Base {
  version: number;
  text: string;
}

/** What the journal stores for one window: enough to continue after a crash. */
export interface Unsaved {
  base: Base;
  text: string;
  doubts: string[]; // sent without an answer: the server may have them
  aside: Aside[];
}

/** A text that was not chosen in a conflict and still has to be added to the history. */
export interface Aside {
  text: string;
  refused?: boolean;
}

/** Why saving does not work at the moment. */
export type Trouble =
  { kind: "offline" | "signed-out" | "someone-else" | "gone" } | { kind: "forbidden" | "refused"; sentence: string };

/** A merge conflict that a person has to decide. */
export interface PendingConflict {
  server: Base; // over which the decided text is saved
  mine: string;
  against: string;
  merged: Merged;
  names: string[];
  proposal?: boolean; // the other side is a proposal: nobody has saved it
}

/** The state of saving. */
export interface Model extends Unsaved {
  words: number;
  savedAt: number; // ms since 1970, 0: never
  sent: { text: string; aside: boolean } | null;
  kind: Kind;
  typedAt: number;
  dirtySince: number; // 0: nothing typed since the last attempt
  attempts: number;
  retryAt: number;
  trouble: Trouble | null;
  asking: PendingConflict | null;
  postponed: boolean; // the dialog was closed without a decision
}

/** The outcome of a request. */
export type Answer =
  | { kind: "saved"; version: number; words: number; savedAt: number }
  | { kind: "stale"; version: number; text: string; words: number; savedAt: number; names: string[] }
  | { kind: "kept" }
  | { kind: "lost"; wait?: number } // no usable answer; wait: ms the server asks for
  | Trouble;

/** An event, with its time. */
export type SaveEvent = { at: number } & (
  | { what: "edited"; text: string }
  | { what: "tick" }
  | { what: "now" } // Ctrl+S, back online, the window has the focus again
  | { what: "answered"; answer: Answer }
  | { what: "settled"; text: string; aside: string[] }
  | { what: "postponed" }
  | { what: "proposed"; base: string; text: string } // a proposal is taken: the change from `base` to `text`
  | { what: "taken-up"; left: Unsaved }
);

/** What the page has to do after a step. */
export type Effect =
  | { do: "put"; text: string; over: number; kind: Kind }
  | { do: "keep"; text: string }
  | { do: "replace"; text: string }
  | { do: "added"; names: string[] } // changes of others were merged into the text
  | { do: "restored" } // unsaved text of a closed window was restored
  | { do: "ask"; asking: PendingConflict }
  | { do: "saved"; version: number; words: number };

/** The new state and what to do. */
export interface Step {
  model: Model;
  effects: Effect[];
}

/** Create the state for a section as the page loaded it. `savedAt` in ms since 1970. */
export function initialModel(base: Base, words = 0, savedAt = 0): Model {
  return {
    base,
    words,
    savedAt,
    text: base.text,
    doubts: [],
    aside: [],
    sent: null,
    kind: "typed",
    typedAt: 0,
    dirtySince: 0,
    attempts: 0,
    retryAt: 0,
    trouble: null,
    asking: null,
    postponed: false,
  };
}

/** Tell whether the server has everything. */
export function isClean(model: Model): boolean {
  return model.text === model.base.text && !model.aside.length;
}

/** Return what the journal must store; null when the server has everything. */
export function unsavedOf(model: Model): Unsaved | null {
  const { base, text, doubts, aside } = model;
  return isClean(model) ? null : { base, text, doubts, aside };
}

/** Return when the next save is due, on the clock of the events; null when none is. */
export function nextSaveAt(model: Model): number | null {
  const { sent, asking, postponed, trouble, retryAt, typedAt, dirtySince } = model;
  if (sent || asking || postponed || isClean(model)) return null;
  if (trouble && trouble.kind !== "offline" && trouble.kind !== "signed-out" && trouble.kind !== "someone-else")
    return null;
  if (trouble || nextAside(model) || model.kind !== "typed") return retryAt;
  if (model.text === model.base.text) return null;
  return Math.max(retryAt, Math.min(typedAt + IDLE, (dirtySince || typedAt) + LONGEST));
}

/** Apply an event to the model. */
export function step(model: Model, event: SaveEvent): Step {
  switch (event.what) {
    case "edited":
      return edited(model, event.text, event.at);
    case "tick": {
      const time = nextSaveAt(model);
      return time !== null && event.at >= time ? send(model) : { model, effects: [] };
    }
    case "now":
      if (model.sent || model.asking || isClean(model)) return { model, effects: [] };
      return send({ ...model, postponed: false, retryAt: 0, attempts: 0 });
    case "answered":
      return answered(model, event.answer, event.at);
    case "settled":
      return settle(model, event.text, event.aside);
    case "postponed":
      return {
        model: { ...model, asking: null, postponed: model.asking !== null && !model.asking.proposal },
        effects: [],
      };
    case "proposed":
      return proposed(model, event);
    case "taken-up":
      return takeUp(model, event.left);
  }
}

function edited(model: Model, text: string, at: number): Step {
  if (text === model.text) return { model, effects: [] };
  const trouble = model.trouble?.kind === "refused" ? null : model.trouble; // the edit may have fixed what was refused
  // a proposal that was undone before it was saved leaves no version
  const kind = text === model.base.text ? "typed" : model.kind;
  return { model: { ...model, text, kind, trouble, typedAt: at, dirtySince: model.dirtySince || at }, effects: [] };
}

/** Send one request at a time: first texts rejected in a conflict, so that they are safe before being overwritten. */
function send(model: Model): Step {
  const aside = nextAside(model);
  if (aside)
    return {
      model: { ...model, sent: { text: aside.text, aside: true } },
      effects: [{ do: "keep", text: aside.text }],
    };
  const { text, base, kind } = model;
  if (text === base.text) return { model, effects: [] };
  return {
    model: {
      ...model,
      sent: { text, aside: false },
      doubts: [text, ...model.doubts.filter((one) => one !== text)].slice(0, DOUBTS),
      dirtySince: 0,
    },
    effects: [{ do: "put", text, over: base.version, kind }],
  };
}

function nextAside(model: Model): Aside | undefined {
  return model.aside.find(({ refused }) => !refused);
}

function answered(model: Model, answer: Answer, at: number): Step {
  const { sent } = model;
  if (!sent) return { model, effects: [] };
  const unsent: Model = { ...model, sent: null };
  const succeeded: Model = { ...unsent, trouble: null, attempts: 0, retryAt: 0 };
  switch (answer.kind) {
    case "saved":
      return acknowledged(
        { ...succeeded, doubts: [], kind: "typed", base: { version: answer.version, text: sent.text } },
        answer,
      );
    case "kept":
      return {
        model: { ...succeeded, aside: model.aside.filter((one) => one.refused || one.text !== sent.text) },
        effects: [],
      };
    case "stale":
      return stale(succeeded, answer, answer.names, answer);
    case "refused":
      if (!sent.aside) return { model: { ...unsent, trouble: answer }, effects: [] };
      return {
        model: {
          ...succeeded,
          aside: model.aside.map((one) => (one.text === sent.text ? { ...one, refused: true } : one)),
        },
        effects: [],
      };
    case "lost":
    case "offline":
      return retryLater(unsent, { kind: "offline" }, at, answer.kind === "lost" ? (answer.wait ?? 0) : 0);
    default:
      return retryLater(unsent, answer, at, 0);
  }
}

function retryLater(model: Model, trouble: Trouble, at: number, wait: number): Step {
  const pause = Math.max(
    Math.min(FIRST_PAUSE * 2 ** model.attempts, LONGEST_PAUSE),
    Math.min(wait, LONGEST_RETRY_AFTER),
  );
  return { model: { ...model, trouble, attempts: model.attempts + 1, retryAt: at + pause }, effects: [] };
}

function acknowledged(
  model: Model,
  { version, words, savedAt }: { version: number; words: number; savedAt: number },
): Step {
  return { model: { ...model, words, savedAt }, effects: [{ do: "saved", version, words }] };
}

/** Handle a newer text `now` on the server. It may be our own, whose answer was lost. */
function stale(
  model: Model,
  now: Base,
  names: string[],
  answer?: { version: number; words: number; savedAt: number },
): Step {
  const server: Base = { version: now.version, text: now.text };
  if (server.text === model.text || model.doubts.includes(server.text)) {
    const ours: Model = { ...model, base: server, doubts: [], kind: "typed" };
    return answer ? acknowledged(ours, answer) : { model: ours, effects: [] };
  }
  const seen = answer ? { ...model, words: answer.words, savedAt: answer.savedAt } : model;
  return mergeWith(seen, { root: rootOf(model, server.text), server, against: server.text, names });
}

/**
 * Find the common ancestor for a merge. An unanswered text of ours serves if the server's text contains all of it; that
 * separates our later changes from those of others.
 */
function rootOf({ base, doubts }: Model, theirs: string): string {
  const found = doubts.find((doubt) => {
    const { text, conflicts } = mergeBlocks(base.text, doubt, theirs);
    return !conflicts.length && text === theirs;
  });
  return found ?? base.text;
}

function mergeWith(model: Model, met: { root: string; server: Base; against: string; names: string[] }): Step {
  const { server, against, names } = met;
  const merged = mergeBlocks(met.root, model.text, against);
  if (merged.conflicts.length) {
    const asking: PendingConflict = { server, mine: model.text, against, merged, names };
    return { model: { ...model, asking, postponed: false }, effects: [{ do: "ask", asking }] };
  }
  const changed = merged.text !== model.text;
  return {
    model: { ...model, base: server, text: merged.text, doubts: [] },
    effects: changed
      ? [
          { do: "replace", text: merged.text },
          { do: "added", names },
        ]
      : [],
  };
}

/** Merge a proposal into a clean model; typed text gets its own version first. */
function proposed(model: Model, { base, text }: { base: string; text: string }): Step {
  if (!isClean(model) || model.sent || model.asking) return { model, effects: [] };
  const merged = mergeBlocks(base, model.text, text);
  if (merged.conflicts.length) {
    const asking: PendingConflict = {
      server: model.base,
      mine: model.text,
      against: text,
      merged,
      names: ["the proposal"],
      proposal: true,
    };
    return { model: { ...model, asking, postponed: false }, effects: [{ do: "ask", asking }] };
  }
  if (merged.text === model.text) return { model, effects: [] };
  const { model: sent, effects } = send({ ...model, text: merged.text, kind: "proposed" });
  return { model: sent, effects: [{ do: "replace", text: merged.text }, ...effects] };
}

/** Apply the decision of a conflict: `text` is the new text, and each of `aside` goes into the history. */
function settle(model: Model, text: string, aside: string[]): Step {
  const { asking } = model;
  if (!asking) return { model, effects: [] };
  const kind: Kind = asking.proposal ? "proposed" : "merged";
  // For a proposal both sides are stored already: the typed text as a version, the proposal as such.
  const rejected = asking.proposal ? [] : aside.map((one) => ({ text: one }));
  const decided: Model = {
    ...model,
    asking: null,
    postponed: false,
    base: asking.server,
    doubts: [],
    kind,
    retryAt: 0,
    aside: [...model.aside, ...rejected],
  };
  if (model.text !== asking.mine)
    return mergeWith(decided, { root: asking.mine, server: asking.server, against: text, names: [] });
  return {
    model: { ...decided, text, kind: text === asking.server.text ? "typed" : kind },
    effects: text === model.text ? [] : [{ do: "replace", text }],
  };
}

/** Restore the unsaved text of a closed window. Only for a clean model; the page checks isClean first. */
function takeUp(model: Model, left: Unsaved): Step {
  if (!isClean(model) || model.sent || model.asking) return { model, effects: [] };
  const restored: Model = { ...model, ...left };
  const shown: Effect[] = left.text === model.text ? [] : [{ do: "replace", text: left.text }, { do: "restored" }];
  if (left.base.version === model.base.version && left.base.text === model.base.text)
    return { model: restored, effects: shown };
  const { model: now, effects } = stale(restored, model.base, []);
  if (effects.some((effect) => effect.do === "ask")) return { model: now, effects: [...shown, ...effects] };
  const put: Effect[] = now.text === model.text ? [] : [{ do: "replace", text: now.text }, { do: "restored" }];
  return { model: now, effects: put };
}
