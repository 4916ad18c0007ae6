import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCounter } from "./counters";

test("numbers are written as in English print, words as they are", () => {
  assert.equal(formatCounter(412300), "412,300");
  assert.equal(formatCounter(0), "0");
  assert.equal(formatCounter("2 of 5"), "2 of 5");
});
