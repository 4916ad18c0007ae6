import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { curl, quoteFor } from "./typed-quotes";

test("straight marks become those that the place asks for", () => {
  const cases: [string, string, string][] = [
    [`He said "so" (and "more").`, "He said “so” (and “more”).", "en-GB"],
    [`"It's 'odd'," she said—"no".`, "“It’s ‘odd’,” she said—“no”.", "en"],
    [`patients' rights in '90`, "patients’ rights in ‘90", "en"],
    [`"'Nested' quotes"`, "“‘Nested’ quotes”", "en"],
    [`Er sagte "so" und 'so', Grimm's`, "Er sagte „so“ und ‚so‘, Grimm’s", "de-DE"],
    [`"क्षति" और "مرض"`, "“क्षति” और “مرض”", "en"],
    ["“curly” „German“ ‘x’", "“curly” „German“ ‘x’", "en"],
  ];
  for (const [typed, printed, lang] of cases) assert.equal(curl(typed, "", lang), printed);
});

test("a mark after a chip closes, after a space it opens", () => {
  assert.equal(quoteFor('"', "see \uFFFC", "en"), "”");
  assert.equal(quoteFor('"', "see\u00A0", "en"), "“");
  assert.equal(quoteFor("'", "", ""), "‘");
});

test("no straight mark is left, and nothing else changes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("en", "de", "sv", ""), (text, lang) => {
      const curled = curl(text, "", lang);
      assert.doesNotMatch(curled, /["']/);
      assert.equal(curled.replace(/[“”„‘’‚]/g, "*"), text.replace(/["'“”„‘’‚]/g, "*"));
      assert.equal(curl(curled, "", lang), curled);
    }),
  );
});
