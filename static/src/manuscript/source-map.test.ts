import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMap, toShown, toSource } from "./source-map";

// "Rates fell (Smith, 2020) by half" of "Rates \emph{fell} \citep{smith} by half"
const map = parseMap("0:0 6:12 12:31");

test("a character leads to the source and back", () => {
  assert.equal(toSource(map, 0), 0);
  assert.equal(toSource(map, 7), 13);
  assert.equal(toSource(map, 12), 31);
  assert.equal(toSource(map, 15), 34);
  for (const shown of [0, 3, 6, 9, 12, 18]) assert.equal(toShown(map, toSource(map, shown)!), shown);
});

test("a place in a command leads to the words before or after it, never beyond", () => {
  assert.equal(toShown(map, 8), 6);
  assert.equal(toShown(map, 25), 12);
  assert.equal(toSource(map, 11), 17);
});

test("a paragraph without a word in the source has no place", () => {
  assert.deepEqual(parseMap(""), []);
  assert.equal(toSource([], 4), undefined);
  assert.equal(toShown([], 4), undefined);
});

test("what stands before the first known word counts back from it", () => {
  assert.equal(toSource(parseMap("4:100"), 0), 96);
  assert.equal(toShown(parseMap("4:100"), 90), 0);
});
