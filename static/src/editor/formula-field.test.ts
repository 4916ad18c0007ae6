import assert from "node:assert/strict";
import { test } from "node:test";
import katex from "katex";
import { withCommands } from "./formula-field";
import { errorMessage } from "./maths";

test("signs typed in a formula become commands", () => {
  assert.equal(withCommands("a≤b"), "a\\leq b");
  assert.equal(withCommands("α ± 2×3"), "\\alpha \\pm 2\\times3");
  assert.equal(withCommands("a−b → ζ·ξ"), "a-b \\to \\zeta\\cdot\\xi");
  assert.equal(withCommands("\\frac{a}{b} < 1"), "\\frac{a}{b} < 1");
  assert.equal(withCommands("\\leq क्षति"), "\\leq क्षति");
});

test("an error of a formula is said in words", () => {
  const said = (latex: string): string => {
    try {
      katex.renderToString(latex, { strict: false });
    } catch (error) {
      return errorMessage(error);
    }
    return "";
  };
  assert.match(said("\\frac{a}{b"), /a brace \{ is not closed\. It is closed at the end\.$/);
  assert.match(said("\\nothing x"), /the command \\nothing is unknown/);
  assert.match(said("x^2^3"), /two powers follow each other/);
  assert.match(said("x}"), /\} cannot stand here/);
  assert.match(said("x^"), /nothing follows \^|it ends too early/);
  for (const latex of ["\\frac{a}{b", "\\nothing", "x^2^3", "x}", "\\begin{nothing}\\end{nothing}"])
    assert.doesNotMatch(said(latex), /position|KaTeX|EOF/, said(latex));
});
