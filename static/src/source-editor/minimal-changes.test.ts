import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState } from "@codemirror/state";
import fc from "fast-check";
import { changesTo } from "./minimal-changes";
import { keepEndings, textOf } from "./line-endings";

function opened(text: string, at = 0): EditorState {
  const { doc, extension } = keepEndings(text);
  return EditorState.create({ doc, extensions: [extension], selection: { anchor: Math.min(at, doc.length) } });
}

const TEXT = fc
  .array(fc.constantFrom("a", "b", "word", "\n", "\r", "\r\n", "\n\n", "😀", "😁", "\\cite{a}"), { maxLength: 40 })
  .map((list) => list.join(""));

test("the edit produces the new text, byte for byte", () => {
  fc.assert(
    fc.property(TEXT, TEXT, TEXT, (one, other, third) => {
      let state = opened(one);
      for (const wanted of [other, third, one]) {
        const spec = changesTo(state, textOf(state), wanted);
        if (spec) state = state.update(spec).state;
        else assert.equal(textOf(state), wanted);
        assert.equal(textOf(state), wanted);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the caret stays on its word when lines around it change", () => {
  const was = "first line\nthe middle one\nlast line\n";
  const state = opened(was, was.indexOf("middle") + 3);
  const after = state.update(
    changesTo(state, was, "a first line, longer\nand one more\nthe middle one\nlast\n")!,
  ).state;
  assert.equal(after.sliceDoc(after.selection.main.head - 3, after.selection.main.head + 3), "middle");
});

test("the caret stays when another part of its line changes", () => {
  const was = "Deaths fell in the first trial.\n";
  const state = opened(was, was.indexOf("trial"));
  const after = state.update(changesTo(state, was, "Deaths rose in the first trial.\n")!).state;
  assert.equal(after.sliceDoc(after.selection.main.head), "trial.\n");
});

test("equal texts give no edit", () => {
  assert.equal(changesTo(opened("a\r\nb"), "a\r\nb", "a\r\nb"), null);
});
