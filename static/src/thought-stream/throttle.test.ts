import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { throttled } from "./throttle";

test("the first call runs at once, a burst causes one more call, and pauses cause none", async () => {
  let calls = 0;
  const call = throttled(() => (calls += 1), 20);
  for (let burst = 0; burst < 50; burst += 1) call();
  assert.equal(calls, 1);
  await pause(60);
  assert.equal(calls, 2);
  await pause(60);
  assert.equal(calls, 2);
  call();
  assert.equal(calls, 3);
});
