import assert from "node:assert/strict";
import { test } from "node:test";
import { asText } from "./counters";

test("numbers are written as in English print, words as they are", () => {
  assert.equal(asText(412300), "412,300");
  assert.equal(asText(0), "0");
  assert.equal(asText("2 of 5"), "2 of 5");
});
