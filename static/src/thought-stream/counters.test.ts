import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCounter } from "./counters";

test("numbers are formatted for English, text stays as it is", () => {
  assert.equal(formatCounter(412300), "412,300");
  assert.equal(formatCounter(0), "0");
  assert.equal(formatCounter("2 of 5"), "2 of 5");
});
