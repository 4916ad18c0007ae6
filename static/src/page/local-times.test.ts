import assert from "node:assert/strict";
import { test } from "node:test";
import { localTime } from "./local-times";

const MOMENT = "2026-11-21T20:05:09.123456+00:00";

test("a time is shown in the reader's time zone", () => {
  assert.equal(localTime(MOMENT, "clock", "Asia/Kolkata"), "01:35:09");
  assert.equal(localTime(MOMENT, "hour", "UTC"), "20:05");
  assert.equal(localTime(MOMENT, "moment", "Asia/Kolkata"), "22 November, 01:35");
  assert.equal(localTime(MOMENT, "day", "America/Lima"), "21 November 2026");
});

test("an invalid time or an unknown format gives undefined", () => {
  assert.equal(localTime("yesterday", "hour"), undefined);
  assert.equal(localTime(MOMENT, "century"), undefined);
});
