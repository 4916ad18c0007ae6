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

test("a name is the title, a page is named by what is on it", () => {
  printedLabels.set({ "tab:a": { kind: "table", number: "5.1", level: 0, title: "Deaths by drug" } });
  assert.equal(printedLabels.printed("nameref", "tab:a"), "Deaths by drug");
  assert.equal(printedLabels.printed("pageref", "tab:a"), "page of Table\u00a05.1");
  assert.equal(printedLabels.printed("ref", "tab:b"), null);
});

test("several labels are grouped as cleveref prints them", () => {
  printedLabels.set({
    "t:1": { kind: "table", number: "5.1", level: 0 },
    "t:2": { kind: "table", number: "5.2", level: 0 },
    "t:3": { kind: "table", number: "5.3", level: 0 },
    "t:9": { kind: "table", number: "5.10", level: 0 },
    "f:1": { kind: "figure", number: "1.1", level: 0 },
    "f:2": { kind: "figure", number: "1.2", level: 0 },
    "e:1": { kind: "equation", number: "1", level: 0 },
    "e:2": { kind: "equation", number: "2", level: 0 },
    "l:1": { kind: "theorem", number: "4", level: 0, word: "Lemma" },
    "i:1": { kind: "item", number: "2", level: 0, word: "" },
  });
  assert.equal(printedLabels.printed("cref", "t:9,t:1"), "tables\u00a05.1 and\u00a05.10");
  assert.equal(printedLabels.printed("cref", "t:3,t:1,t:2"), "tables\u00a05.1 to\u00a05.3");
  assert.equal(printedLabels.printed("Cref", "f:1,f:2,t:1"), "Figures\u00a01.1 and\u00a01.2 and\u00a0table\u00a05.1");
  assert.equal(printedLabels.printed("cref", "e:1,e:2"), "eqs.\u00a0(1) and\u00a0(2)");
  assert.equal(printedLabels.printed("cref", "l:1"), "lemma\u00a04");
  assert.equal(printedLabels.printed("autoref", "l:1"), "Lemma\u00a04");
  assert.equal(printedLabels.printed("cref", "i:1"), "item\u00a02");
});

test("an unknown label has no number", () => {
  assert.equal(printedLabels.printed("ref", "tab:z"), null);
  assert.equal(printedLabels.printed("ref", "tab:a,tab:z"), null);
  assert.equal(printedLabels.printed("ref", "constructor"), null);
});
