import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matching } from "./cross-reference-field";
import { newLabel } from "./cross-reference-targets";

test("a label is made from the words of a caption", () => {
  assert.equal(newLabel("table", "Age & sex, by arm", new Set()), "tab:age-sex-by-arm");
  assert.equal(newLabel("figure", "Überleben", new Set()), "fig:uberleben");
  assert.equal(newLabel("heading", "मृत्यु", new Set()), "sec:1");
  assert.equal(newLabel("table", "Deaths", new Set(["tab:deaths", "tab:deaths-2"])), "tab:deaths-3");
  assert.equal(
    newLabel("table", "Baseline characteristics of the participants at entry", new Set()),
    "tab:baseline-characteristics-of-the",
  );
});

test("a label is one that LaTeX takes, is new, and stays short", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.string()), (words, used) => {
      const first = newLabel("table", words, new Set(used));
      const second = newLabel("table", words, new Set([...used, first]));
      assert.match(first, /^tab:[a-z0-9][a-z0-9-]*$/);
      assert.notEqual(first, second);
      assert.ok(first.length <= 60);
    }),
  );
});

test("what is typed is found in number, caption and label", () => {
  const all = [
    { key: "tab:deaths", printed: "Table\u00a02.1", title: "Deaths by drug" },
    { key: "fig:flow", printed: "Figure\u00a01", title: "Flow of patients" },
  ];
  const found = (typed: string): string[] => matching(all, typed).map(({ key }) => key);
  assert.deepEqual(found(""), ["tab:deaths", "fig:flow"]);
  assert.deepEqual(found("table 2.1"), ["tab:deaths"]);
  assert.deepEqual(found("DRUG deaths"), ["tab:deaths"]);
  assert.deepEqual(found("fig:"), ["fig:flow"]);
  assert.deepEqual(found("nothing"), []);
});
