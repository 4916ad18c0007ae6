import assert from "node:assert/strict";
import { test } from "node:test";
import { printedLabels } from "./printed-labels";

test("a reference shows what LaTeX prints", () => {
  printedLabels.set({
    "tab:a": { kind: "table", number: "5.1", level: 0 },
    "eq:b": { kind: "equation", number: "2.3", level: 0 },
    "sec:c": { kind: "heading", number: "1.2", level: 1 },
    "ch:d": { kind: "heading", number: "3", level: 0 },
    "app:e": { kind: "heading", number: "A", level: 0 },
    "sub:f": { kind: "heading", number: "1.2.1", level: 2 },
  });
  assert.equal(printedLabels.printed("ref", "tab:a"), "5.1");
  assert.equal(printedLabels.printed("autoref", "tab:a"), "Table\u00a05.1");
  assert.equal(printedLabels.printed("cref", "tab:a"), "table\u00a05.1");
  assert.equal(printedLabels.printed("Cref", "sec:c"), "Section\u00a01.2");
  assert.equal(printedLabels.printed("autoref", "ch:d"), "chapter\u00a03");
  assert.equal(printedLabels.printed("cref", "app:e"), "appendix\u00a0A");
  assert.equal(printedLabels.printed("autoref", "sub:f"), "subsection\u00a01.2.1");
  assert.equal(printedLabels.printed("cref", "sub:f"), "section\u00a01.2.1");
  assert.equal(printedLabels.printed("eqref", "eq:b"), "(2.3)");
  assert.equal(printedLabels.printed("cref", "eq:b"), "eq.\u00a0(2.3)");
  assert.equal(printedLabels.printed("ref", "tab:a, sec:c"), "5.1, 1.2");
});

test("an unknown label has no number", () => {
  assert.equal(printedLabels.printed("ref", "tab:z"), null);
  assert.equal(printedLabels.printed("ref", "tab:a,tab:z"), null);
  assert.equal(printedLabels.printed("ref", "constructor"), null);
});
