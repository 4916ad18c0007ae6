import assert from "node:assert/strict";
import { test } from "node:test";
import { chipLook, latexToText, type Chip } from "./chip";
import { ChipStore } from "./chips";

const chip = (more: Partial<Chip> = {}): Chip => ({
  id: "1",
  label: "Sterne 2020",
  tier: "a",
  letter: "A",
  icon: "check",
  words: "DOI and title",
  status: "verified",
  retracted: false,
  pending: false,
  ...more,
});
const WAITS = chip({
  tier: "wait",
  letter: "",
  icon: "clock",
  words: "Being looked up",
  status: "unresolved",
  pending: true,
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Create a fake server with `works`, which may change between requests. */
function desk(works: Record<string, Chip>) {
  const asked: string[] = [];
  const chips = new ChipStore(async (address) => {
    asked.push(address);
    return { ...works };
  });
  return { asked, chips };
}

test("keys that come up together are requested together, each once", async () => {
  const { asked, chips } = desk({ a: chip(), b: chip({ label: "Horby 2021" }) });
  let told = 0;
  chips.onChange(() => told++);
  chips.at = "/chips";
  assert.equal(chips.of("a"), null);
  assert.equal(chips.of("b"), null);
  assert.equal(chips.of("a"), null);
  await pause(80);
  assert.deepEqual(asked, ["/chips?keys=a%2Cb"]);
  assert.equal(told, 1);
  assert.equal((chips.of("b") as Chip).label, "Horby 2021");
  await pause(80);
  assert.equal(asked.length, 1);
});

test("nothing is requested before the address is known", async () => {
  const { asked, chips } = desk({ a: chip() });
  chips.of("a");
  await pause(60);
  assert.deepEqual(asked, []);
  chips.at = "/chips";
  await pause(60);
  assert.deepEqual(asked, ["/chips?keys=a"]);
});

test("two thousand keys cause one request for all chips", async () => {
  const { asked, chips } = desk({});
  chips.at = "/chips";
  for (let n = 0; n < 2000; n++) chips.of(`author${n}`);
  await pause(80);
  assert.deepEqual(asked, ["/chips"]);
  assert.equal(chips.of("author7"), "missing");
});

test("a pending chip is requested again until it is proven; listeners hear only of changes", async () => {
  const works: Record<string, Chip> = { a: WAITS };
  const { asked, chips } = desk(works);
  let told = 0;
  chips.onChange((keys) => {
    assert.deepEqual([...keys], ["a"], "whoever shows another key need not be drawn again");
    told++;
  });
  chips.at = "/chips";
  chips.of("a");
  await pause(80);
  assert.equal((chips.of("a") as Chip).tier, "wait");
  await pause(1600);
  assert.equal(asked.length, 2);
  assert.equal(told, 1);
  works.a = chip();
  chips.reload();
  await pause(80);
  assert.equal((chips.of("a") as Chip).tier, "a");
  assert.equal(told, 2);
  const before = asked.length;
  await pause(2000);
  assert.equal(asked.length, before);
});

test("a missing key is found after it was added", async () => {
  const works: Record<string, Chip> = {};
  const { chips } = desk(works);
  chips.at = "/chips";
  chips.of("new");
  await pause(60);
  assert.equal(chips.of("new"), "missing");
  works.new = chip();
  chips.reload();
  await pause(60);
  assert.notEqual(chips.of("new"), "missing");
});

test("a failed request marks nothing as missing and is retried", async () => {
  let answers = false;
  const chips = new ChipStore(async () => (answers ? { a: chip() } : null));
  chips.at = "/chips";
  chips.of("a");
  await pause(60);
  assert.equal(chips.of("a"), null);
  answers = true;
  await pause(1700);
  assert.notEqual(chips.of("a"), null);
});

test("chips of proven, problematic and unknown works", () => {
  assert.deepEqual(chipLook("k", null), { label: "k", tier: "wait", letter: "", icon: "", spoken: "", pulses: false });
  assert.equal(chipLook("k", "missing").spoken, "not in your references");
  assert.deepEqual(chipLook("k", chip()), {
    label: "Sterne 2020",
    tier: "a",
    letter: "A",
    icon: "",
    spoken: "DOI and title",
    pulses: false,
  });
  assert.equal(chipLook("k", chip({ tier: "d", letter: "D", icon: "ask", words: "Not found" })).icon, "ask");
  assert.equal(chipLook("k", WAITS).pulses, true);
});

test("notes are converted to plain text", () => {
  assert.equal(latexToText("pp.~14--16"), "pp.\u00a014–16");
  assert.equal(latexToText("{see [4]}"), "see [4]");
  assert.equal(latexToText("50\\% of it"), "50% of it");
});
