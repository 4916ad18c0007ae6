import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Sequence } from "../thought-stream/event-order";
import { DraftSteps } from "./typing-steps";

interface Row {
  seq: number;
  attempt: number;
  text: string;
}

/** Return the shown text after each row has arrived. */
function shown(rows: readonly Row[]): string {
  const [coming, sequence] = [new DraftSteps(), new Sequence()];
  let all = "";
  for (const { seq, attempt, text } of rows) {
    const step = sequence.accept(seq) === "new" ? coming.stepFor({ kind: "draft_text", text, attempt }) : null;
    if (step) all = (step.replaces ? "" : all) + step.text;
  }
  return all;
}

test("a new attempt replaces the text, and late text of the old one is ignored", () => {
  const rows = [
    [1, "A first"],
    [2, "Anew "],
    [1, "late"],
    [2, "it is."],
  ].map(([attempt, text], n) => ({ seq: n + 1, attempt, text }) as Row);
  assert.equal(shown(rows), "Anew it is.");
  assert.equal(new DraftSteps().stepFor({ kind: "job_done", text: "Done.", attempt: 0 }), null);
});

test("after a reconnect each piece of the last attempt is shown once", () => {
  const attempts = fc
    .array(fc.nat(2), { minLength: 1, maxLength: 15 })
    .map((steps) => steps.reduce<number[]>((all, step) => [...all, (all.at(-1) ?? 1) + (step === 2 ? 1 : 0)], []));
  fc.assert(
    fc.property(attempts, fc.array(fc.nat(15), { maxLength: 6 }), (tries, breaks) => {
      const rows = tries.map((attempt, n): Row => ({ seq: n + 1, attempt, text: `${n}.` }));
      // Each reconnect repeats rows from an earlier one on.
      const arriving = breaks.reduce<Row[]>(
        (all, at) => [...all.slice(0, at + 1), ...all.slice(Math.max(0, at - 2))],
        rows,
      );
      const ordered: Row[] = [];
      for (const row of arriving)
        if (row.seq <= (ordered.length ? Math.max(...ordered.map(({ seq }) => seq)) : 0) + 1) ordered.push(row);
      const last = Math.max(...tries);
      assert.equal(
        shown(ordered),
        rows
          .filter(({ attempt }) => attempt === last)
          .map(({ text }) => text)
          .join(""),
      );
    }),
  );
});
