import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { targetOf, type TextSelection, type DraftCommand } from "./insert-places";

const TEXT =
  "Seven trials (e.g. RECOVERY) were pooled. Deaths fell by 12.5\\%~\\cite{a}. Was it chance?\n\nA second one.\n";
const at = (words: string): TextSelection => ({ start: TEXT.indexOf(words), end: TEXT.indexOf(words) + words.length });
const targetText = (way: DraftCommand, chosen: TextSelection): string | null => {
  const place = targetOf(way, TEXT, chosen);
  return place && TEXT.slice(place.start, place.end);
};

test("a command works on the selection, else on the paragraph at the caret", () => {
  assert.equal(targetText("rewrite", at(" Deaths fell ")), "Deaths fell");
  const inSecond = TEXT.indexOf("second");
  assert.equal(targetText("shorten", { start: inSecond, end: inSecond }), "A second one.");
  assert.equal(targetOf("rewrite", "\n\n", { start: 1, end: 1 }), null);
});

test("continuing starts at the end of the paragraph, also in an empty text", () => {
  const place = targetOf("continue", TEXT, at("Deaths"));
  assert.deepEqual(place, { start: TEXT.indexOf("\n\n"), end: TEXT.indexOf("\n\n") });
  assert.deepEqual(targetOf("continue", "", { start: 0, end: 0 }), { start: 0, end: 0 });
});

test("support is for one sentence: the selected one or the one at the caret", () => {
  assert.equal(targetText("support", at("Deaths fell by 12.5\\%")), "Deaths fell by 12.5\\%");
  for (const [word, sentence] of [
    ["pooled", "Seven trials (e.g. RECOVERY) were pooled."],
    ["fell", "Deaths fell by 12.5\\%~\\cite{a}."],
    ["chance", "Was it chance?"],
    ["second", "A second one."],
  ]) {
    const caret = TEXT.indexOf(word!) + 2;
    assert.equal(targetText("support", { start: caret, end: caret }), sentence);
  }
  // In the visual view a caret selects its whole paragraph; the text before it tells the sentence.
  const paragraph = { start: 0, end: TEXT.indexOf("\n\n") };
  assert.equal(
    targetText("support", { ...paragraph, before: "(e.g. RECOVERY) were pooled. Deaths fe" }),
    "Deaths fell by 12.5\\%~\\cite{a}.",
  );
});

test("the target is always inside the text and trimmed", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", ". ", "B", "\n", "\n\n", "😀", "\\cite{k}", " "),
    maxLength: 30,
  });
  fc.assert(
    fc.property(
      text,
      fc.nat(60),
      fc.nat(60),
      fc.constantFrom<DraftCommand>("rewrite", "shorten", "continue", "support"),
      (latex, one, other, way) => {
        const [start, end] = [Math.min(one, other, latex.length), Math.min(Math.max(one, other), latex.length)];
        const place = targetOf(way, latex, { start, end });
        if (!place) return;
        assert.ok(place.start >= 0 && place.start <= place.end && place.end <= latex.length);
        if (way !== "continue")
          assert.equal(latex.slice(place.start, place.end).trim(), latex.slice(place.start, place.end));
      },
    ),
  );
});
