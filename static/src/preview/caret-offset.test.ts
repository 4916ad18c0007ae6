import assert from "node:assert/strict";
import { test } from "node:test";
import { caretOffset } from "./caret-offset";

const latex = "\\section{One}\n\nThe 😀 mean age of the \\emph{patients} was fifty four.";
const start = latex.indexOf("The");

test("the caret stands after the words before it, counted in code points", () => {
  const caret = { start, end: latex.length, before: "The 😀 mean age of" };
  const points = [...latex.slice(0, latex.indexOf("of") + 2)].length;
  assert.equal(caretOffset({ latex, caret }), points);
});

test("words that the LaTeX does not have so lead to the start of the block", () => {
  for (const before of ["of the patients was", "", "\ufffc"])
    assert.equal(caretOffset({ latex, caret: { start, end: latex.length, before } }), start);
});

test("in the source the caret is exact", () => {
  assert.equal(caretOffset({ latex, caret: { start: 9, end: 9, before: "One" } }), 9);
});
