import assert from "node:assert/strict";
import { test } from "node:test";
import { citedBehind } from "./chosen-sentence";

const ROSE = { sentence: "Nitrogen rose by 5\\%.", before: "", after: "" };

test("a key goes before the full stop, joins the keys that stand there, and is not put there twice", () => {
  assert.equal(
    citedBehind("One. Nitrogen rose by 5\\%. Two.", ROSE, "a"),
    "One. Nitrogen rose by 5\\%~\\cite{a}. Two.",
  );
  assert.equal(
    citedBehind("Nitrogen rose by 5\\%~\\citep[p.~3]{b}.", ROSE, "a"),
    "Nitrogen rose by 5\\%~\\citep[p.~3]{b,a}.",
  );
  assert.equal(citedBehind("Nitrogen rose by 5\\% \\cite{b, a}.", ROSE, "a"), "Nitrogen rose by 5\\% \\cite{b, a}.");
  assert.equal(citedBehind("Is it so", { sentence: "Is it so", before: "", after: "" }, "a"), "Is it so~\\cite{a}");
  assert.equal(
    citedBehind("``It is so.'' Two", { sentence: "``It is so.''", before: "", after: "" }, "a"),
    "``It is so~\\cite{a}.'' Two",
  );
});

test("of two, the one with the old surroundings; a sentence that was changed is not there", () => {
  const twice = "First. Nitrogen rose by 5\\%. Then. Nitrogen rose by 5\\%. Last.";
  assert.equal(
    citedBehind(twice, { ...ROSE, before: "Then. ", after: " Last." }, "a"),
    "First. Nitrogen rose by 5\\%. Then. Nitrogen rose by 5\\%~\\cite{a}. Last.",
  );
  assert.equal(citedBehind(twice, ROSE, "a"), null);
  assert.equal(citedBehind("Nitrogen rose by 6\\%.", ROSE, "a"), null);
});
