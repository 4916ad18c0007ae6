import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keepBoth, resolveConflicts } from "../latex/merge";
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
import { describeState } from "./messages";

const BASE = { version: 1, text: "One.\n\nTwo.\n" };

/** Apply events to the model; return it with all effects. */
function after(model: Model, ...happenings: SaveEvent[]): { model: Model; effects: Effect[] } {
  const effects: Effect[] = [];
  for (const happening of happenings) {
    const next = step(model, happening);
    model = next.model;
    effects.push(...next.effects);
  }
  return { model, effects };
}

const typed = (text: string, at: number): SaveEvent => ({ what: "edited", text, at });
const answer = (one: Answer, at = 5000): SaveEvent => ({ what: "answered", answer: one, at });
const saved = (version: number): Answer => ({ kind: "saved", version, words: 2, savedAt: 7 });
const stale = (version: number, text: string): Answer => ({
  kind: "stale",
  version,
  text,
  words: 3,
  savedAt: 9,
  names: ["Edda"],
});
const sending = (text: string) => after(initialModel(BASE), typed(text, 1000), { what: "tick", at: 2000 }).model;

test("a save comes one second after the last key and at most ten seconds after the first", () => {
  let { model } = after(initialModel(BASE), typed("a", 1000));
  assert.equal(nextSaveAt(model), 2000);
  assert.deepEqual(step(model, { what: "tick", at: 1999 }).effects, []);
  for (let at = 1500; at <= 10_500; at += 500) model = after(model, typed(`a${at}`, at)).model;
  assert.equal(nextSaveAt(model), 11_000);
  assert.deepEqual(after(model, { what: "tick", at: 11_000 }).effects, [
    { do: "put", text: "a10500", over: 1, kind: "typed" },
  ]);
});

test("one request at a time: later typing is sent after the answer, over its version", () => {
  const busy = after(sending("a"), typed("ab", 2100), { what: "tick", at: 9000 }, { what: "now", at: 9000 });
  assert.deepEqual(busy.effects, []);
  const { model, effects } = after(busy.model, answer(saved(2)), { what: "tick", at: 9000 });
  assert.deepEqual(effects, [
    { do: "saved", version: 2, words: 2 },
    { do: "put", text: "ab", over: 2, kind: "typed" },
  ]);
  assert.deepEqual(unsavedOf(model)?.base, { version: 2, text: "a" });
  assert.equal(unsavedOf(after(model, answer(saved(3))).model), null);
});

test("failed saves are retried with growing pauses up to half a minute, and at once when back online", () => {
  let model = sending("a");
  const pauses = [];
  for (let at = 5000; pauses.length < 8;) {
    model = after(model, answer({ kind: "lost" }, at)).model;
    pauses.push(nextSaveAt(model)! - at);
    at = nextSaveAt(model)!;
    model = after(model, { what: "tick", at }).model;
  }
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  model = after(model, answer({ kind: "lost" }, 200_000)).model;
  assert.equal(after(model, { what: "now", at: 200_001 }).effects[0]?.do, "put");
  assert.equal(nextSaveAt(after(sending("a"), answer({ kind: "lost", wait: 120_000 }, 5000)).model), 125_000);
});

test("a save whose answer was lost is recognised as our own", () => {
  const lost = after(sending("a"), answer({ kind: "lost" }), typed("ab", 5500), { what: "now", at: 6000 }).model;
  const { model, effects } = after(lost, answer(stale(2, "a")), { what: "tick", at: 8000 });
  assert.deepEqual(effects, [
    { do: "saved", version: 2, words: 3 },
    { do: "put", text: "ab", over: 2, kind: "typed" },
  ]);
  assert.equal(model.asking, null);
});

test("a lost answer causes no conflict with ourselves, even when somebody saved over it", () => {
  const ours = after(sending("One mine.\n\nTwo.\n"), answer({ kind: "lost" }), typed("One of mine.\n\nTwo.\n", 5500), {
    what: "now",
    at: 6000,
  }).model;
  const { model, effects } = after(ours, answer(stale(3, "One mine.\n\nTwo theirs.\n")));
  assert.deepEqual(effects, [
    { do: "replace", text: "One of mine.\n\nTwo theirs.\n" },
    { do: "added", names: ["Edda"] },
  ]);
  assert.equal(model.text, "One of mine.\n\nTwo theirs.\n");
});

test("changes of other paragraphs are merged and saved; changes of the same paragraph are a conflict", () => {
  const { model, effects } = after(sending("One mine.\n\nTwo.\n"), answer(stale(2, "One.\n\nTwo theirs.\n")), {
    what: "tick",
    at: 5001,
  });
  assert.deepEqual(
    effects.map((effect) => effect.do),
    ["replace", "added", "put"],
  );
  assert.deepEqual(model.sent, { text: "One mine.\n\nTwo theirs.\n", aside: false });
  const asked = after(sending("One mine.\n\nTwo.\n"), answer(stale(2, "One theirs.\n\nTwo.\n")));
  assert.equal(asked.effects[0]?.do, "ask");
  assert.equal(nextSaveAt(asked.model), null);
  assert.deepEqual(unsavedOf(asked.model), {
    base: BASE,
    text: "One mine.\n\nTwo.\n",
    doubts: ["One mine.\n\nTwo.\n"],
    aside: [],
  });
});

test("a rejected text is added to the history before anything else is saved", () => {
  const asked = after(sending("One mine.\n"), answer(stale(2, "One theirs.\n"))).model;
  const chosen = after(asked, { what: "settled", text: "One theirs.\n", aside: ["One mine.\n"], at: 6000 });
  assert.deepEqual(chosen.effects, [{ do: "replace", text: "One theirs.\n" }]);
  assert.ok(!isClean(chosen.model));
  const kept = after(chosen.model, { what: "tick", at: 6000 });
  assert.deepEqual(kept.effects, [{ do: "keep", text: "One mine.\n" }]);
  assert.ok(isClean(after(kept.model, answer({ kind: "kept" })).model));
  const lost = after(kept.model, answer({ kind: "lost" })).model;
  assert.deepEqual(unsavedOf(lost)?.aside, [{ text: "One mine.\n" }]);
  assert.deepEqual(after(lost, { what: "now", at: 9000 }).effects, [{ do: "keep", text: "One mine.\n" }]);
});

test("text typed while a conflict was open survives the decision", () => {
  const asked = after(
    sending("One mine.\n\nTwo.\n"),
    answer(stale(2, "One theirs.\n\nTwo.\n")),
    typed("One mine.\n\nTwo.\n\nThree.\n", 5500),
  ).model;
  const { model } = after(asked, { what: "settled", text: "One both.\n\nTwo.\n", aside: [], at: 6000 });
  assert.equal(model.text, "One both.\n\nTwo.\n\nThree.\n");
  const closed = after(asked, { what: "postponed", at: 6000 }, typed("x", 6500));
  assert.equal(nextSaveAt(closed.model), null);
  assert.equal(after(closed.model, { what: "now", at: 7000 }).effects[0]?.do, "put");
});

test("a refused save waits for an edit; signed out is retried; forbidden is not", () => {
  const refused = after(sending("a"), answer({ kind: "refused", sentence: "Too long." })).model;
  assert.equal(nextSaveAt(refused), null);
  assert.equal(nextSaveAt(after(refused, typed("b", 6000)).model), 7000);
  assert.equal(nextSaveAt(after(sending("a"), answer({ kind: "signed-out" })).model), 6000);
  assert.equal(nextSaveAt(after(sending("a"), answer({ kind: "forbidden", sentence: "" })).model), null);
  assert.ok(unsavedOf(after(sending("a"), answer({ kind: "gone" })).model));
});

test("unsaved text of a closed window is restored; over another version it is merged or a conflict", () => {
  const left = { base: BASE, text: "One mine.\n\nTwo.\n", doubts: [], aside: [] };
  const same = after(initialModel(BASE), { what: "taken-up", left, at: 0 });
  assert.deepEqual(same.effects, [{ do: "replace", text: left.text }, { do: "restored" }]);
  assert.equal(nextSaveAt(same.model), 1000);
  const merged = after(initialModel({ version: 2, text: "One.\n\nTwo theirs.\n" }), { what: "taken-up", left, at: 0 });
  assert.equal(merged.model.text, "One mine.\n\nTwo theirs.\n");
  const own = after(initialModel({ version: 2, text: left.text }), { what: "taken-up", left, at: 0 });
  assert.ok(isClean(own.model));
  const asked = after(initialModel({ version: 2, text: "One theirs.\n\nTwo.\n" }), { what: "taken-up", left, at: 0 });
  assert.deepEqual(
    asked.effects.map((effect) => effect.do),
    ["replace", "restored", "ask"],
  );
  assert.deepEqual(unsavedOf(asked.model), left);
});

test("a proposal is merged with the text, saved at once as such, and can be undone", () => {
  const clean = initialModel({ version: 3, text: "One, mine.\n\nTwo.\n" });
  const take: SaveEvent = { what: "proposed", base: BASE.text, text: "One.\n\nTwo, anew.\n", at: 1000 };
  const taken = after(clean, take);
  const text = "One, mine.\n\nTwo, anew.\n";
  assert.deepEqual(taken.effects, [
    { do: "replace", text },
    { do: "put", text, over: 3, kind: "proposed" },
  ]);
  const undone = after(taken.model, typed(clean.text, 1200), answer(saved(4)), { what: "tick", at: 9000 });
  assert.deepEqual(undone.effects.at(-1), { do: "put", text: clean.text, over: 4, kind: "typed" });
  const offline = after(
    taken.model,
    answer({ kind: "lost" }),
    typed(clean.text, 5500),
    typed(`${clean.text}More.\n`, 6000),
    { what: "tick", at: 60_000 },
  );
  assert.deepEqual(offline.effects, [{ do: "put", text: `${clean.text}More.\n`, over: 3, kind: "typed" }]);
  assert.deepEqual(after(after(clean, typed("x", 1)).model, take).effects, [], "not before what was typed is saved");
});

test("a conflict with a proposal is decided by the person, and nothing is set aside", () => {
  const clean = initialModel({ version: 3, text: "One, mine.\n\nTwo.\n" });
  const asked = after(clean, { what: "proposed", base: BASE.text, text: "One, anew.\n\nTwo.\n", at: 1000 });
  assert.deepEqual(
    asked.effects.map((effect) => effect.do),
    ["ask"],
  );
  assert.doesNotMatch(describeState(asked.model, "all", true).words, /elsewhere/);
  const closed = after(asked.model, { what: "postponed", at: 2000 }).model;
  assert.deepEqual([closed.postponed, isClean(closed)], [false, true]);
  const decided = after(
    asked.model,
    { what: "settled", text: "One, anew.\n\nTwo.\n", aside: ["One, mine.\n\nTwo.\n"], at: 2000 },
    { what: "tick", at: 2001 },
  );
  assert.deepEqual(decided.effects, [
    { do: "replace", text: "One, anew.\n\nTwo.\n" },
    { do: "put", text: "One, anew.\n\nTwo.\n", over: 3, kind: "proposed" },
  ]);
  const met = after(decided.model, answer(stale(4, "One, mine.\n\nTwo.\n\nThree.\n")), { what: "tick", at: 5001 });
  assert.deepEqual(met.effects.at(-1), {
    do: "put",
    text: "One, anew.\n\nTwo.\n\nThree.\n",
    over: 4,
    kind: "proposed",
  });
});

// Two windows, one server, an unreliable network

class Server {
  version = 1;
  history = new Set<string>();
  constructor(public text: string) {}

  put(text: string, over: number): Answer {
    if (over !== this.version)
      return { kind: "stale", version: this.version, text: this.text, words: 0, savedAt: 1, names: [] };
    this.history.add(this.text);
    if (text !== this.text) [this.text, this.version] = [text, this.version + 1];
    return { kind: "saved", version: this.version, words: 0, savedAt: 1 };
  }

  keep(text: string): Answer {
    this.history.add(text);
    return { kind: "kept" };
  }
}

type Way = "well" | "never came" | "answer lost";

class Window {
  model: Model;
  pending: (() => Answer)[] = [];
  asked = 0;
  constructor(
    private readonly server: Server,
    private readonly choose: () => number,
  ) {
    this.model = initialModel({ version: server.version, text: server.text });
  }

  does(happening: SaveEvent): void {
    const { model, effects } = step(this.model, happening);
    this.model = model;
    for (const effect of effects) {
      if (effect.do === "put") this.pending.push(() => this.server.put(effect.text, effect.over));
      if (effect.do === "keep") this.pending.push(() => this.server.keep(effect.text));
      if (effect.do === "ask") this.decide(happening.at);
    }
  }

  private decide(at: number): void {
    this.asked += 1;
    const { merged, mine } = this.model.asking!;
    const ways = merged.conflicts.map(
      (conflict) => [keepBoth(conflict), conflict.mine, conflict.theirs][this.choose()]!,
    );
    this.does({ what: "settled", text: resolveConflicts(merged, ways), aside: [mine], at });
  }

  network(way: Way, at: number): void {
    const request = this.pending.shift();
    if (!request) return;
    const got = way === "never came" ? null : request();
    this.does({ what: "answered", answer: way === "well" && got ? got : { kind: "lost" }, at });
  }

  /** Kill the browser: only the journal and the server's text remain. */
  crash(at: number): void {
    const left = unsavedOf(this.model);
    this.pending = [];
    this.model = initialModel({ version: this.server.version, text: this.server.text });
    if (left) this.does({ what: "taken-up", left, at });
  }
}

const happening = fc.record({
  who: fc.nat(1),
  what: fc.constantFrom(
    "type",
    "type",
    "type",
    "change",
    "drop",
    "well",
    "well",
    "never came",
    "answer lost",
    "wait",
    "now",
    "crash",
  ),
  place: fc.nat(),
});

function simulate(
  events: { who: number; what: string; place: number }[],
  choose: () => number,
): { server: Server; windows: Window[]; written: string[]; dropped: Set<string> } {
  const server = new Server(Array.from({ length: 8 }, (_, index) => `Paragraph ${index}.`).join("\n\n"));
  const windows = [new Window(server, choose), new Window(server, choose)];
  const written: string[] = [];
  const dropped = new Set<string>();
  let at = 0;
  const type = (window: Window, { what, place }: { what: string; place: number }) => {
    const parts = window.model.text.split("\n\n");
    const one = place % parts.length;
    const word = `w${written.length}.`;
    if (what === "drop") (parts.splice(one, 1)[0]?.match(/w\d+\./g) ?? []).forEach((gone) => dropped.add(gone));
    else written.push(word);
    if (what === "type") parts.splice(one, 0, word);
    if (what === "change") parts[one] += ` ${word}`;
    window.does({ what: "edited", text: parts.join("\n\n"), at });
  };
  for (const event of events) {
    at += 300;
    const window = windows[event.who]!;
    if (["type", "change", "drop"].includes(event.what)) type(window, event);
    else if (event.what === "now") window.does({ what: "now", at });
    else if (event.what === "wait") at += 20_000;
    else if (event.what === "crash") window.crash(at);
    else window.network(event.what as Way, at);
    windows.forEach((each) => each.does({ what: "tick", at }));
  }
  for (let round = 0; round < 60 && windows.some((window) => !isClean(window.model)); round += 1) {
    at += 60_000;
    for (const window of windows) {
      window.does({ what: "tick", at });
      window.network("well", at);
    }
  }
  return { server, windows, written, dropped };
}

const run = fc.array(happening, { minLength: 200, maxLength: 200 });

test("two windows, 200 events, lost connections: every word stays in the text", () => {
  let asked = 0;
  fc.assert(
    fc.property(run, (events) => {
      const { server, windows, written, dropped } = simulate(events, () => 0);
      assert.ok(
        windows.every((window) => isClean(window.model)),
        "both come to rest",
      );
      for (const word of written) assert.ok(dropped.has(word) || server.text.includes(word), `${word} is lost`);
      asked += windows[0]!.asked + windows[1]!.asked;
    }),
    { numRuns: 150 },
  );
  assert.ok(asked > 20, `conflicts are reported: ${asked}`);
});

test("whatever is chosen, every word is in the text or in the history", () => {
  fc.assert(
    fc.property(run, fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }), (events, choices) => {
      let next = 0;
      const { server, written, dropped } = simulate(events, () => choices[next++ % choices.length]!);
      const all = [server.text, ...server.history].join("\n");
      for (const word of written) assert.ok(dropped.has(word) || all.includes(word), `${word} is lost`);
    }),
    { numRuns: 100 },
  );
});
