import assert from "node:assert/strict";
import { test } from "node:test";
import { outlineOf } from "../latex/outline";
import { plainTitle, headingRows } from "./headings";

test("a heading shows its text without commands", () => {
  assert.equal(plainTitle("\\emph{In vitro} work\\label{sec:x}"), "In vitro work");
  assert.equal(plainTitle("Salt \\& water, 5\\,\\% \\{sic\\}"), "Salt & water, 5 % {sic}");
  assert.equal(plainTitle("Two~words\\\\ and more"), "Two words and more");
  assert.equal(plainTitle(" "), "Untitled");
});

test("the highest heading level of a text is the first level", () => {
  const source = "\\subsection{Sites}\n\nText.\n\n\\subsubsection{North}\n\n\\paragraph{Deep}\n";
  const rows = headingRows(outlineOf(source));
  assert.deepEqual(
    rows.map(({ title, depth }) => [title, depth]),
    [
      ["Sites", 1],
      ["North", 2],
    ],
  );
  assert.ok(rows.every(({ offset }) => source[offset] === "\\"));
});

test("a text without headings has no rows", () => assert.deepEqual(headingRows(outlineOf("Only words.")), []));
