import assert from "node:assert/strict";
import { test } from "node:test";
import { commentOf } from "./comment-mark";

const ID = "6f6b2a53-62a4-4f39-9d1a-0f6a3a5f1c11";

test("a comment on an origin names it and leads to it", () => {
  assert.deepEqual(commentOf(`% From analysis 4 “Deaths by arm” (analysis ${ID}), trials.csv version 2\n`), {
    words: "From analysis 4 “Deaths by arm”, trials.csv version 2",
    origin: { kind: "analysis", id: ID },
  });
  assert.deepEqual(
    commentOf(`  % From research “Do they (all) help?” (run ${ID}), finding F1-1, https://doi.org/10.1/x`),
    {
      words: "From research “Do they (all) help?”, finding F1-1, https://doi.org/10.1/x",
      origin: { kind: "research", id: ID },
    },
  );
});

test("other comments are their words", () => {
  assert.deepEqual(commentOf("% check this\n%%  again"), { words: "check this again", origin: null });
  assert.deepEqual(commentOf("%"), { words: "Comment", origin: null });
  assert.equal(commentOf("% From analysis 4 (analysis not-an-id)")?.origin, null);
});

test("anything else is no comment", () => {
  for (const latex of ["", "\n", "text % comment", "% one\n\\two", "50\\%"]) assert.equal(commentOf(latex), null);
});
