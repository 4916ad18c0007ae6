import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, shortened } from "./upload-limits";

const MB = 1024 * 1024;
const LIMITS = { bytes: 50 * MB, files: 3 };
const file = (name: string, megabytes: number) => ({ name, size: megabytes * MB });

test("what is too large is left out and said, the rest is sent", () => {
  const [small, edge, large] = [file("a.md", 1), file("b.pdf", 50), file("c.pdf", 200)];
  assert.deepEqual(chosen([small, edge, large], LIMITS, false), {
    files: [small, edge],
    said: ["c.pdf is larger than 50 MB, which is the limit here. It was not sent."],
  });
  assert.deepEqual(chosen([small], LIMITS, false), { files: [small], said: [] });
});

test("too many at once, or some while others are on their way, are not sent", () => {
  const many = ["a", "b", "c", "d"].map((name) => file(name, 1));
  assert.deepEqual(chosen(many, LIMITS, false).files, []);
  assert.match(chosen(many, LIMITS, false).said[0] ?? "", /^These are 4 files; 3 are taken at once/);
  assert.deepEqual(chosen(many.slice(0, 1), LIMITS, true).files, []);
  assert.match(chosen(many.slice(0, 1), LIMITS, true).said[0] ?? "", /still on their way/);
});

test("a long list of refusals ends, and a long name is cut where no sign is broken", () => {
  const large = Array.from({ length: 30 }, (_, n) => file(`${n}.pdf`, 60));
  const { said } = chosen(large, { ...LIMITS, files: 500 }, false);
  assert.equal(said.length, 21);
  assert.equal(said.at(-1), "So are 10 more.");
  assert.equal(shortened("😀".repeat(3000) + ".md"), `${"😀".repeat(40)}…${"😀".repeat(12)}.md`);
  assert.equal(shortened("a.md"), "a.md");
});
