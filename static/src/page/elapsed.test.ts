import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration } from "./elapsed";

test("durations have at most two units", () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  assert.equal(formatDuration(0), "0 s");
  assert.equal(formatDuration(-5 * minute), "0 s");
  assert.equal(formatDuration(59.9 * second), "59 s");
  assert.equal(formatDuration(12 * minute + 40 * second), "12 min 40 s");
  assert.equal(formatDuration(3 * hour + 5 * minute + 59 * second), "3 h 5 min");
  assert.equal(formatDuration(28 * hour), "1 d 4 h");
});
