import assert from "node:assert/strict";
import test from "node:test";
import { nextIndex, selectedIndex } from "./finder";
import { asTyped, wordsPattern } from "./words-pattern";

function found(text: string, words: string, options: { matchCase?: boolean; wholeWords?: boolean } = {}): string[] {
  const pattern = wordsPattern({ words, matchCase: false, wholeWords: false, ...options });
  return pattern ? [...text.matchAll(pattern)].map(([match]) => match) : [];
}

test("words are found in any form of their accents, spaces, hyphens and quotation marks", () => {
  assert.deepEqual(found("café cafe\u0301 cafe", "café"), ["café", "cafe\u0301"]);
  assert.deepEqual(found("cafe\u0301 cafe", "cafe"), ["cafe"]);
  assert.deepEqual(found("95\u00A0% 95\u202F% 95 %", "95 %").length, 3);
  assert.deepEqual(found("patient’s “word”", "patient's"), ["patient’s"]);
  assert.deepEqual(found("patient’s “word”", '"word"'), ["“word”"]);
  assert.deepEqual(found("hyper\u00ADtension", "hypertension"), ["hyper\u00ADtension"]);
  assert.deepEqual(found("2010–2015", "2010--2015"), ["2010–2015"]);
});

test("signs of patterns are plain signs, and nothing is found by nothing", () => {
  assert.deepEqual(found("a.b axb (a|b) [a-b] $1 \\d", "a.b"), ["a.b"]);
  assert.deepEqual(found("a.b axb (a|b) [a-b] $1 \\d", "(a|b)"), ["(a|b)"]);
  assert.deepEqual(found("a.b [a-b]", "[a-b]"), ["[a-b]"]);
  assert.deepEqual(found("$1 \\d", "\\d"), ["\\d"]);
  for (const nothing of ["", "  ", "\uFFFC"])
    assert.equal(wordsPattern({ words: nothing, matchCase: true, wholeWords: true }), null);
});

test("a match ends with a whole letter; case and whole words count when asked", () => {
  assert.deepEqual(found("रक्तचाप कि क", "क"), ["क"]);
  assert.deepEqual(found("Flow flow", "flow", { matchCase: true }), ["flow"]);
  assert.deepEqual(found("flow overflow flow_x flows flow.", "flow", { wholeWords: true }).length, 2);
  assert.deepEqual(found("95% 195%", "95%", { wholeWords: true }), ["95%"]);
});

test("typed dashes and quotation marks are those of LaTeX", () => {
  assert.equal(asTyped("``a'' -- b---c - d's `e"), "“a” – b—c - d’s ‘e");
});

test("the next match starts again at the ends", () => {
  const matches = [
    { from: 2, to: 4 },
    { from: 6, to: 8 },
  ];
  assert.equal(selectedIndex(matches, 6, 8), 1);
  assert.equal(selectedIndex(matches, 6, 7), -1);
  assert.deepEqual(
    [
      nextIndex(matches, 0, 0, 1),
      nextIndex(matches, 2, 4, 1),
      nextIndex(matches, 6, 8, 1),
      nextIndex(matches, 9, 9, 1),
    ],
    [0, 1, 0, 0],
  );
  assert.deepEqual([nextIndex(matches, 2, 4, -1), nextIndex(matches, 5, 5, -1), nextIndex([], 0, 0, 1)], [1, 0, -1]);
});
