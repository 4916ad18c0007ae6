import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closed } from "./close-braces";
import { structure } from "./structure";

test("a formula that never ends is closed", () => {
  assert.equal(closed("\\frac{a}{b"), "\\frac{a}{b}");
  assert.equal(closed("\\sqrt{\\frac{a}{b"), "\\sqrt{\\frac{a}{b}}");
  assert.equal(closed("x}"), "{x}");
  assert.equal(closed("\\begin{cases} a"), "\\begin{cases} a\\end{cases}");
  assert.equal(closed("{\\begin{cases} a"), "{\\begin{cases} a\\end{cases}}");
  assert.equal(closed("95%"), "95\\%");
  assert.equal(closed("95% CI"), "95\\% CI");
  assert.equal(closed("a\\"), "a\\ ");
});

test("what is complete stays as it is", () => {
  for (const latex of ["\\frac{a}{b}", "a % said\n+ b", "95\\%", "a\\\\", "\\text{if $x$}", "\\{ x", ""])
    assert.equal(closed(latex), latex);
});

test("no formula reaches into the text after it", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "\\",
    "%",
    "\n",
    "a",
    " ",
    "\\begin{b}",
    "\\end{b}",
    "\\end{c}",
    "[",
    "\\{",
    "\\frac",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (several) => {
      const text = `${closed(several.join(""))}}`;
      const faults = structure(`{${text}`).faults;
      assert.deepEqual(faults, [], text);
    }),
  );
});
