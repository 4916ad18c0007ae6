import assert from "node:assert/strict";
import { test } from "node:test";
import { citeAfterSentence } from "./chosen-sentence";

const ROSE = { sentence: "Nitrogen rose by 5\\%.", before: "", after: "" };

test("a key goes before the full stop, joins existing keys, and is not added twice", () => {
  assert.equal(
    citeAfterSentence("One. Nitrogen rose by 5\\%. Two.", ROSE, "a"),
    "One. Nitrogen rose by 5\\%~\\cite{a}. Two.",
  );
  assert.equal(
    citeAfterSentence("Nitrogen rose by 5\\%~\\citep[p.~3]{b}.", ROSE, "a"),
    "Nitrogen rose by 5\\%~\\citep[p.~3]{b,a}.",
  );
  assert.equal(
    citeAfterSentence("Nitrogen rose by 5\\% \\cite{b, a}.", ROSE, "a"),
    "Nitrogen rose by 5\\% \\cite{b, a}.",
  );
  assert.equal(
    citeAfterSentence("Is it so", { sentence: "Is it so", before: "", after: "" }, "a"),
    "Is it so~\\cite{a}",
  );
  assert.equal(
    citeAfterSentence("``It is so.'' Two", { sentence: "``It is so.''", before: "", after: "" }, "a"),
    "``It is so~\\cite{a}.'' Two",
  );
});

test("the context decides between two equal sentences; a changed sentence is not found", () => {
  const twice = "First. Nitrogen rose by 5\\%. Then. Nitrogen rose by 5\\%. Last.";
  assert.equal(
    citeAfterSentence(twice, { ...ROSE, before: "Then. ", after: " Last." }, "a"),
    "First. Nitrogen rose by 5\\%. Then. Nitrogen rose by 5\\%~\\cite{a}. Last.",
  );
  assert.equal(citeAfterSentence(twice, ROSE, "a"), null);
  assert.equal(citeAfterSentence("Nitrogen rose by 6\\%.", ROSE, "a"), null);
});
