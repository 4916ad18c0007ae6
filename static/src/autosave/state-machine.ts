// What saving does and when, without a page, a clock or a network: a model, and what happens to it. The page is
// autosave/autosave.ts.
import { mergeBlocks, type Merged } from "../latex/merge";

export const IDLE = 1000; // ms without typing, then it is saved
export const LONGEST = 10_000; // ms of typing on and on, then it is saved all the same
const FIRST_PAUSE = 1000; // ms until the second attempt; doubles
const LONGEST_PAUSE = 30_000;
const LONGEST_WISH = 600_000; // ms a server may ask us to wait
const DOUBTS = 4;

/** How a text came about, as the history shows it. */
export type Kind = "typed" | "merged" | "proposed";

/** A text of the section as the server has had it. */
export interface Base {
  version: number;
  text: string;
}

/** What the journal of this browser holds of one window: enough to go on after a crash. */
export interface Unsaved {
  base: Base;
  text: string;
  doubts: string[]; // sent, and never answered: the server may have them
  aside: Aside[];
}

/** A text that a person did not choose in a conflict, on its way into the history. */
export interface Aside {
  text: string;
  refused?: boolean;
}

export type Trouble =
  { kind: "offline" | "signed-out" | "someone-else" | "gone" } | { kind: "forbidden" | "refused"; sentence: string };

/** The same paragraphs were changed on both sides; a person decides. */
export interface Asking {
  server: Base; // over which the decided text is saved
  mine: string;
  against: string;
  merged: Merged;
  names: string[];
  proposal?: boolean; // the other side is a proposal: nobody has saved it
}

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
  asking: Asking | null;
  postponed: boolean; // the dialog was closed without a decision
}

export type Answer =
  | { kind: "saved"; version: number; words: number; savedAt: number }
  | { kind: "stale"; version: number; text: string; words: number; savedAt: number; names: string[] }
  | { kind: "kept" }
  | { kind: "lost"; wait?: number } // no answer, or none that says anything; wait: ms the server asks for
  | Trouble;

export type Happening = { at: number } & (
  | { what: "edited"; text: string }
  | { what: "tick" }
  | { what: "now" } // Ctrl+S, back online, the window is looked at again
  | { what: "answered"; answer: Answer }
  | { what: "settled"; text: string; aside: string[] }
  | { what: "postponed" }
  | { what: "proposed"; base: string; text: string } // a person takes of a proposal what makes `text` of `base`
  | { what: "taken-up"; left: Unsaved }
);

export type Effect =
  | { do: "put"; text: string; over: number; kind: Kind }
  | { do: "keep"; text: string }
  | { do: "replace"; text: string }
  | { do: "added"; names: string[] } // what others wrote stands in the text now
  | { do: "restored" } // what a closed window had not saved stands in the text now
  | { do: "ask"; asking: Asking }
  | { do: "saved"; version: number; words: number };

export interface Step {
  model: Model;
  effects: Effect[];
}

/** A section as the page came with it. `savedAt` in ms since 1970. */
export function begin(base: Base, words = 0, savedAt = 0): Model {
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

/** Whether the server has everything. */
export function isClean(model: Model): boolean {
  return model.text === model.base.text && !model.aside.length;
}

/** What the journal has to hold now; null when the server has acknowledged it all. */
export function unsavedOf(model: Model): Unsaved | null {
  const { base, text, doubts, aside } = model;
  return isClean(model) ? null : { base, text, doubts, aside };
}

/** When the next attempt is due, in the time of the happenings; null when none is. */
export function due(model: Model): number | null {
  const { sent, asking, postponed, trouble, retryAt, typedAt, dirtySince } = model;
  if (sent || asking || postponed || isClean(model)) return null;
  if (trouble && trouble.kind !== "offline" && trouble.kind !== "signed-out" && trouble.kind !== "someone-else")
    return null;
  if (trouble || waiting(model) || model.kind !== "typed") return retryAt;
  if (model.text === model.base.text) return null;
  return Math.max(retryAt, Math.min(typedAt + IDLE, (dirtySince || typedAt) + LONGEST));
}

export function step(model: Model, happening: Happening): Step {
  switch (happening.what) {
    case "edited":
      return edited(model, happening.text, happening.at);
    case "tick": {
      const time = due(model);
      return time !== null && happening.at >= time ? send(model) : { model, effects: [] };
    }
    case "now":
      if (model.sent || model.asking || isClean(model)) return { model, effects: [] };
      return send({ ...model, postponed: false, retryAt: 0, attempts: 0 });
    case "answered":
      return answered(model, happening.answer, happening.at);
    case "settled":
      return settle(model, happening.text, happening.aside);
    case "postponed":
      return {
        model: { ...model, asking: null, postponed: model.asking !== null && !model.asking.proposal },
        effects: [],
      };
    case "proposed":
      return proposed(model, happening);
    case "taken-up":
      return takeUp(model, happening.left);
  }
}

function edited(model: Model, text: string, at: number): Step {
  if (text === model.text) return { model, effects: [] };
  const trouble = model.trouble?.kind === "refused" ? null : model.trouble; // what was refused may be mended now
  // what was taken and is undone before it was saved was never there
  const kind = text === model.base.text ? "typed" : model.kind;
  return { model: { ...model, text, kind, trouble, typedAt: at, dirtySince: model.dirtySince || at }, effects: [] };
}

/** One thing at a time: first what a conflict set aside, so that it is safe before anything is written over it. */
function send(model: Model): Step {
  const aside = waiting(model);
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

function waiting(model: Model): Aside | undefined {
  return model.aside.find(({ refused }) => !refused);
}

function answered(model: Model, answer: Answer, at: number): Step {
  const { sent } = model;
  if (!sent) return { model, effects: [] };
  const idle: Model = { ...model, sent: null };
  const well: Model = { ...idle, trouble: null, attempts: 0, retryAt: 0 };
  switch (answer.kind) {
    case "saved":
      return acknowledged(
        { ...well, doubts: [], kind: "typed", base: { version: answer.version, text: sent.text } },
        answer,
      );
    case "kept":
      return {
        model: { ...well, aside: model.aside.filter((one) => one.refused || one.text !== sent.text) },
        effects: [],
      };
    case "stale":
      return stale(well, answer, answer.names, answer);
    case "refused":
      if (!sent.aside) return { model: { ...idle, trouble: answer }, effects: [] };
      return {
        model: { ...well, aside: model.aside.map((one) => (one.text === sent.text ? { ...one, refused: true } : one)) },
        effects: [],
      };
    case "lost":
    case "offline":
      return later(idle, { kind: "offline" }, at, answer.kind === "lost" ? (answer.wait ?? 0) : 0);
    default:
      return later(idle, answer, at, 0);
  }
}

function later(model: Model, trouble: Trouble, at: number, wait: number): Step {
  const pause = Math.max(Math.min(FIRST_PAUSE * 2 ** model.attempts, LONGEST_PAUSE), Math.min(wait, LONGEST_WISH));
  return { model: { ...model, trouble, attempts: model.attempts + 1, retryAt: at + pause }, effects: [] };
}

function acknowledged(
  model: Model,
  { version, words, savedAt }: { version: number; words: number; savedAt: number },
): Step {
  return { model: { ...model, words, savedAt }, effects: [{ do: "saved", version, words }] };
}

/** The server has another text than we wrote over: `now`. It may be our own, whose answer was lost. */
function stale(
  model: Model,
  now: Base,
  names: string[],
  how?: { version: number; words: number; savedAt: number },
): Step {
  const server: Base = { version: now.version, text: now.text };
  if (server.text === model.text || model.doubts.includes(server.text)) {
    const ours: Model = { ...model, base: server, doubts: [], kind: "typed" };
    return how ? acknowledged(ours, how) : { model: ours, effects: [] };
  }
  const seen = how ? { ...model, words: how.words, savedAt: how.savedAt } : model;
  return meet(seen, { root: rootOf(model, server.text), server, against: server.text, names });
}

/**
 * Over what both sides wrote. A text that we sent and that was never answered serves, if the server's text has all of
 * it: then what we changed since is told from what others did.
 */
function rootOf({ base, doubts }: Model, theirs: string): string {
  const has = doubts.find((doubt) => {
    const { text, conflicts } = mergeBlocks(base.text, doubt, theirs);
    return !conflicts.length && text === theirs;
  });
  return has ?? base.text;
}

function meet(model: Model, met: { root: string; server: Base; against: string; names: string[] }): Step {
  const { server, against, names } = met;
  const merged = mergeBlocks(met.root, model.text, against);
  if (merged.conflicts.length) {
    const asking: Asking = { server, mine: model.text, against, merged, names };
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

/**
 * Put a proposal together with what stands there. Only for a model that is clean: what was typed has its own version
 * first.
 */
function proposed(model: Model, { base, text }: { base: string; text: string }): Step {
  if (!isClean(model) || model.sent || model.asking) return { model, effects: [] };
  const merged = mergeBlocks(base, model.text, text);
  if (merged.conflicts.length) {
    const asking: Asking = {
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

/** A person has decided: `text` it is to be, and each of `aside` goes into the history. */
function settle(model: Model, text: string, aside: string[]): Step {
  const { asking } = model;
  if (!asking) return { model, effects: [] };
  const kind: Kind = asking.proposal ? "proposed" : "merged";
  // What was mine is a version already when a proposal is taken, and the proposal is kept by itself.
  const left = asking.proposal ? [] : aside.map((one) => ({ text: one }));
  const decided: Model = {
    ...model,
    asking: null,
    postponed: false,
    base: asking.server,
    doubts: [],
    kind,
    retryAt: 0,
    aside: [...model.aside, ...left],
  };
  if (model.text !== asking.mine)
    return meet(decided, { root: asking.mine, server: asking.server, against: text, names: [] });
  return {
    model: { ...decided, text, kind: text === asking.server.text ? "typed" : kind },
    effects: text === model.text ? [] : [{ do: "replace", text }],
  };
}

/** What a closed window of this browser left. Only for a model that is clean: the page asks isClean first. */
function takeUp(model: Model, left: Unsaved): Step {
  if (!isClean(model) || model.sent || model.asking) return { model, effects: [] };
  const taken: Model = { ...model, ...left };
  const shown: Effect[] = left.text === model.text ? [] : [{ do: "replace", text: left.text }, { do: "restored" }];
  if (left.base.version === model.base.version && left.base.text === model.base.text)
    return { model: taken, effects: shown };
  const { model: now, effects } = stale(taken, model.base, []);
  if (effects.some((effect) => effect.do === "ask")) return { model: now, effects: [...shown, ...effects] };
  const put: Effect[] = now.text === model.text ? [] : [{ do: "replace", text: now.text }, { do: "restored" }];
  return { model: now, effects: put };
}
