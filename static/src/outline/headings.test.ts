import assert from "node:assert/strict";
import { test } from "node:test";
import { outlineOf } from "../latex/outline";
import { plain, rowsOf } from "./headings";

test("the words of a heading are shown, its commands are not", () => {
  assert.equal(plain("\\emph{In vitro} work\\label{sec:x}"), "In vitro work");
  assert.equal(plain("Salt \\& water, 5\\,\\% \\{sic\\}"), "Salt & water, 5 % {sic}");
  assert.equal(plain("Two~words\\\\ and more"), "Two words and more");
  assert.equal(plain(" "), "Untitled");
});

test("the highest kind of a text stands first, whatever it is", () => {
  const source = "\\subsection{Sites}\n\nText.\n\n\\subsubsection{North}\n\n\\paragraph{Deep}\n";
  const rows = rowsOf(outlineOf(source));
  assert.deepEqual(
    rows.map(({ title, depth }) => [title, depth]),
    [
      ["Sites", 1],
      ["North", 2],
    ],
  );
  assert.ok(rows.every(({ offset }) => source[offset] === "\\"));
});

test("a text without headings has none", () => assert.deepEqual(rowsOf(outlineOf("Only words.")), []));
