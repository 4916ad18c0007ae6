import assert from "node:assert/strict";
import { test } from "node:test";
import { Sequence, isFinal, isAnnounced, parseMessage, staleParts, reconnectDelay } from "./event-order";

test("each event counts once, and an event too far ahead is a gap that changes nothing", () => {
  const sequence = new Sequence(3);
  assert.deepEqual(
    [3, 1, 4, 4, 6, 5, 6].map((seq) => sequence.accept(seq)),
    ["seen", "seen", "new", "seen", "gap", "new", "new"],
  );
  assert.equal(sequence.last, 6);
});

test("whatever the connection loses, repeats or cuts off, every event is shown once and in order (SPEC P2)", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = randomFrom(seed);
    const total = 60;
    const sequence = new Sequence();
    const shown: number[] = [];
    for (let connections = 0; sequence.last < total && connections < 5000; connections += 1) {
      // The server sends rows after `last`; some get lost or repeated, and the connection breaks.
      for (let seq = sequence.last + 1; seq <= total && random() > 0.1; seq += 1) {
        if (random() < 0.15) continue;
        const verdicts = random() < 0.2 ? [sequence.accept(seq), sequence.accept(seq)] : [sequence.accept(seq)];
        shown.push(...verdicts.filter((verdict) => verdict === "new").map(() => seq));
        if (verdicts[0] === "gap") break;
      }
    }
    assert.deepEqual(
      shown,
      Array.from({ length: total }, (_, index) => index + 1),
      `seed ${seed}`,
    );
  }
});

test("the reconnect delay doubles from a quarter of a second to ten seconds, with jitter", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 5, 6, 90].map((attempt) => reconnectDelay(attempt, 0)),
    [250, 500, 1000, 2000, 8000, 10_000, 10_000],
  );
  assert.equal(reconnectDelay(0, 1), 125);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const wait = reconnectDelay(attempt);
    assert.ok(wait >= 125 && wait <= 10_000, `${attempt}: ${wait}`);
  }
});

test("a pause keeps the connection open, the end of the job closes it", () => {
  assert.deepEqual(["job_done", "job_failed", "job_cancelled"].map(isFinal), [true, true, true]);
  assert.deepEqual(["job_paused", "job_waiting", "job_resumed", "node_failed"].map(isFinal), [
    false,
    false,
    false,
    false,
  ]);
});

test("events determine which parts of the page are stale and which events are announced", () => {
  assert.deepEqual(staleParts("node_started"), ["run-tree"]);
  assert.deepEqual(staleParts("phase_started"), ["run-tree", "run-head", "run-files"]);
  assert.deepEqual(staleParts("job_paused"), ["run-head", "run-files"]);
  assert.deepEqual(staleParts("coverage_assessment"), ["run-head"]);
  assert.deepEqual(staleParts("round_started"), ["run-tree", "run-head"]);
  assert.deepEqual(staleParts("job_done"), ["run-tree", "run-head", "run-files"]);
  assert.deepEqual(staleParts("search_completed"), ["run-tree"]);
  assert.deepEqual(staleParts("context_binding_parsing_file_completed"), ["run-files"]);
  assert.deepEqual(staleParts("context_for_node_ready"), ["run-tree", "run-files"]);
  assert.deepEqual(staleParts("report_context_attached"), ["run-files"]);
  assert.deepEqual(staleParts("thought"), []);
  assert.deepEqual(["phase_started", "job_waiting", "thought", "node_started"].map(isAnnounced), [
    true,
    true,
    false,
    false,
  ]);
});

test("a frame is a valid message or null", () => {
  const whole = { seq: 7, kind: "thought", text: "Hm.", node: "1.2", html: "<li></li>", counters: { tokens: 12 } };
  assert.deepEqual(parseMessage(JSON.stringify(whole)), { ...whole, attempt: 0 });
  assert.equal(parseMessage(JSON.stringify({ ...whole, try: 2 }))?.attempt, 2);
  assert.deepEqual(parseMessage('{"seq": 7, "kind": "k", "html": ""}'), {
    seq: 7,
    kind: "k",
    html: "",
    text: "",
    node: "",
    counters: {},
    attempt: 0,
  });
  for (const frame of [
    "",
    "7",
    "null",
    "[]",
    '{"seq": "7", "kind": "k", "html": ""}',
    '{"seq": 1.5, "kind": "k", "html": ""}',
    new Uint8Array(2),
  ]) {
    assert.equal(parseMessage(frame), null);
  }
});

/** A small deterministic generator (mulberry32), so that a failing seed can be run again. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
