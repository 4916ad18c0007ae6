import assert from "node:assert/strict";
import { test } from "node:test";
import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { replaceRange, toEditorPosition, keepEndings, toTextOffset, textOf, type Ending } from "./line-endings";
import { HANGS } from "../time-limits.test-data";

function opened(text: string): EditorState {
  const { doc, extension } = keepEndings(text);
  return EditorState.create({ doc, extensions: [extension, history({ minDepth: 1000, newGroupDelay: 0 })] });
}

/** Split a text into the editor's characters, with each line ending as one. */
function signs(text: string): string[] {
  return text.match(/\r\n|[^]/g) ?? [];
}

function usualOf(text: string): Ending {
  const found = text.match(/\r\n?|\n/g) ?? [];
  const count = (one: string) => found.filter((each) => each === one).length;
  if (!count("\r\n") && !count("\r")) return "\n";
  return (["\r\n", "\n", "\r"] as const).reduce((most, one) => (count(one) > count(most) ? one : most));
}

const isEnding = (sign: string): boolean => sign === "\n" || sign === "\r" || sign === "\r\n";

/** Turn a carriage return before a separate line feed into one CRLF ending. */
function settle(list: string[]): string[] {
  return list.map((sign, place) => (sign === "\r" && list[place + 1] === "\n" ? "\r\n" : sign));
}

const TEXT = fc.string({
  unit: fc.constantFrom("a", "é", " ", "\\", "{", "\n", "\r", "\r\n", "\ufeff", "\u0000", "\u2028", "😀"),
  maxLength: 60,
});
const EDITS = fc.array(
  fc.record({ at: fc.nat(), length: fc.nat(6), text: TEXT.map((text) => text.slice(0, 12)), exact: fc.boolean() }),
  { maxLength: 12 },
);

test("an unedited text stays the same, byte for byte", () => {
  fc.assert(
    fc.property(TEXT, (text) => assert.equal(textOf(opened(text)), text)),
    { numRuns: 2000 },
  );
});

test("an edit changes only what it edits, and undo restores every byte", () => {
  fc.assert(
    fc.property(TEXT, EDITS, (text, edits) => {
      let state = opened(text);
      const take = (spec: TransactionSpec) => (state = state.update(spec).state);
      let model = signs(text);
      const usual = usualOf(text);
      for (const { at, length, text: typed, exact } of edits) {
        // The caret cannot be inside a surrogate pair.
        const units = [0, ...model.map((sign) => (isEnding(sign) ? 1 : sign.length))];
        const places = units.map((_, n) => units.slice(0, n + 1).reduce((sum, one) => sum + one, 0));
        const first = at % places.length;
        const last = Math.min(places.length - 1, first + length);
        const [from, to] = [places[first]!, places[last]!];
        if (exact) take({ ...replaceRange(state, from, to, typed) });
        else take({ changes: { from, to, insert: state.toText(typed) } });
        const added = signs(typed).map((sign) => (isEnding(sign) && !exact ? usual : sign));
        model = settle([...model.slice(0, first), ...added, ...model.slice(last)]);
        assert.equal(textOf(state), model.join(""));
        assert.equal(
          state.doc.length,
          model.reduce((sum, sign) => sum + (isEnding(sign) ? 1 : sign.length), 0),
        );
      }
      const end = textOf(state);
      assert.equal(opened(end).doc.toString(), state.doc.toString());
      const run = (command: typeof undo) => {
        while (command({ state, dispatch: (transaction) => (state = transaction.state) }));
      };
      run(undo);
      assert.equal(textOf(state), text);
      run(redo);
      assert.equal(textOf(state), end);
      run(undo);
      assert.equal(textOf(state), text);
    }),
    { numRuns: 1500 },
  );
});

test("editor positions and text offsets convert to each other", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(), (text, given) => {
      const state = opened(text);
      const at = given % (state.doc.length + 1);
      assert.equal(toEditorPosition(state, toTextOffset(state, at)), at);
      assert.equal(textOf(state, 0, at), text.slice(0, toTextOffset(state, at)));
      const offset = given % (text.length + 1);
      const back = toTextOffset(state, toEditorPosition(state, offset));
      // There is no position between a carriage return and its line feed; the one before them is used.
      assert.ok(back === offset || (back === offset - 1 && text.slice(back, back + 2) === "\r\n"));
    }),
    { numRuns: 2000 },
  );
});

test("a new line in a Windows text gets the usual ending", () => {
  let state = opened("one\r\ntwo\r\n");
  state = state.update({ changes: { from: 3, insert: state.toText("\nhalf") } }).state;
  assert.equal(textOf(state), "one\r\nhalf\r\ntwo\r\n");
});

test("replacing a line feed by a letter removes its ending", () => {
  let state = opened("a\r\nb\nc\nd");
  state = state.update({ changes: { from: 1, to: 2, insert: "x" } }).state;
  assert.equal(textOf(state), "axb\nc\nd");
});

test("five megabytes with mixed endings are read and written in reasonable time", () => {
  const text = Array.from(
    { length: 60_000 },
    (_, n) => `A sentence of the thesis, which is number ${n}, and no other one at all.${n % 2 ? "\r\n" : "\n"}`,
  ).join("");
  const begun = performance.now();
  let state = opened(text);
  state = state.update({ changes: { from: 2_000_000, insert: "x" } }).state;
  assert.equal(textOf(state).length, text.length + 1);
  toTextOffset(state, 4_000_000);
  assert.ok(performance.now() - begun < HANGS);
});
