import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anchorOf, paragraphAt, findQuote } from "./comment-places";

const text = fc.string({ unit: "binary", maxLength: 80 });

test("an anchor is found where it was created, counted in code points as on the server", () => {
  fc.assert(
    fc.property(
      text,
      text.filter((quote) => quote !== ""),
      text,
      (before, quote, after) => {
        const whole = before + quote + after;
        const anchor = anchorOf(whole, { start: before.length, end: before.length + quote.length });
        assert.equal(anchor.start, [...before].length);
        assert.equal([...whole].slice(anchor.start, anchor.start + [...anchor.quote].length).join(""), anchor.quote);
        assert.deepEqual(findQuote(whole, anchor.quote, anchor.start), {
          start: before.length,
          end: before.length + quote.length,
        });
      },
    ),
  );
});

test("of several occurrences the nearest is found", () => {
  const words = "trials and trials and trials";
  assert.deepEqual(findQuote(words, "trials", 0), { start: 0, end: 6 });
  assert.deepEqual(findQuote(words, "trials", 12), { start: 11, end: 17 });
  assert.deepEqual(findQuote(words, "trials", 500), { start: 22, end: 28 });
  assert.equal(findQuote(words, "deaths", 3), undefined);
  assert.equal(findQuote(words, "", 3), undefined);
});

test("words are found in a text with Windows line endings", () => {
  assert.deepEqual(findQuote("a\r\nb\r\nc", "b\nc", 2), { start: 3, end: 7 });
});

test("an anchor has at most 2,000 characters and 100 on either side, without splitting a character", () => {
  const anchor = anchorOf("😀".repeat(4000), { start: 1000, end: 8000 });
  assert.ok(anchor.quote.length <= 2000 && anchor.before.length <= 101 && anchor.after.length <= 101);
  for (const part of [anchor.quote, anchor.before, anchor.after])
    assert.ok(!part.includes("�") && [...part].every((sign) => sign === "😀"));
});

test("the paragraph around the caret", () => {
  const chapter = "One.\n\nTwo\nlines.\n \nThree.\n";
  const at = (place: number) => {
    const { start, end } = paragraphAt(chapter, place);
    return chapter.slice(start, end);
  };
  assert.equal(at(0), "One.");
  assert.equal(at(8), "Two\nlines.");
  assert.equal(at(chapter.length), "Three.");
  assert.equal(at(21), "Three.");
});
