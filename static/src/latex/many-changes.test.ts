import assert from "node:assert/strict";
import test from "node:test";
import type { InlineJSON } from "./document";
import { contentOf, unitsOf } from "./inline";
import { writeInline } from "./write-inline";

test("a word that is replaced many times in one paragraph changes nothing else", () => {
  const sentence =
    "The caf\\'e~in Z\\\"urich\\ldots{} saw hypertension \\cite{a} in 5\\,\\% % noted\nof \\textbf{all} cases. ";
  const latex = sentence.repeat(60).trim();
  const content = contentOf(unitsOf(latex)!).map((node): InlineJSON =>
    node.type === "text" ? { ...node, text: node.text.replaceAll("hypertension", "high blood pressure") } : node,
  );
  assert.equal(writeInline(content, latex, "\n"), latex.replaceAll("hypertension", "high blood pressure"));
});
