import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closed, contained } from "./close-braces";
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

test("source that leaves something open stays within its block, with every character", () => {
  assert.equal(contained("\\foo{a % {\nb"), "\\foo{a % {\nb}");
  assert.equal(contained("\\foo{a % why"), "\\foo{a % why\n}");
  assert.equal(contained("\\begin{verbatim} a"), "\\begin{verbatim} a\\end{verbatim}");
  assert.equal(contained("\\begin{b}\n{a\n\\end{b}"), "\\begin{b}\n{a\n}\\end{b}");
  assert.equal(contained("\\begin{b} % {\n{ % a\\end{b}\n\\end{b}"), "\\begin{b} % {\n{ % a\\end{b}\n}\\end{b}");
  for (const latex of ["\\begin{b} 95\\% % {\n\\end{b}", "", "a\\"]) assert.equal(contained(latex), latex);
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
      const kept = contained(several.join(""));
      assert.deepEqual(structure(`{${kept}\n}`).faults, [], kept);
      let at = 0;
      for (const sign of several.join("")) assert.ok((at = kept.indexOf(sign, at) + 1), `${sign} of ${kept}`);
    }),
  );
});
