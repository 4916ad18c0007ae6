import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLimits, shortened } from "./upload-limits";

const MB = 1024 * 1024;
const LIMITS = { bytes: 50 * MB, files: 3 };
const file = (name: string, megabytes: number) => ({ name, size: megabytes * MB });

test("files over the size limit are rejected with a message, the others are sent", () => {
  const [small, edge, large] = [file("a.md", 1), file("b.pdf", 50), file("c.pdf", 200)];
  assert.deepEqual(checkLimits([small, edge, large], LIMITS, false), {
    files: [small, edge],
    rejected: ["c.pdf is larger than 50 MB, which is the limit here. It was not uploaded."],
  });
  assert.deepEqual(checkLimits([small], LIMITS, false), { files: [small], rejected: [] });
});

test("too many files, or files chosen during an upload, are not sent", () => {
  const many = ["a", "b", "c", "d"].map((name) => file(name, 1));
  assert.deepEqual(checkLimits(many, LIMITS, false).files, []);
  assert.match(
    checkLimits(many, LIMITS, false).rejected[0] ?? "",
    /^You chose 4 files; at most 3 can be uploaded at once/,
  );
  assert.deepEqual(checkLimits(many.slice(0, 1), LIMITS, true).files, []);
  assert.match(checkLimits(many.slice(0, 1), LIMITS, true).rejected[0] ?? "", /still uploading/);
});

test("a long list of messages is cut, and a long name is shortened without splitting a character", () => {
  const large = Array.from({ length: 30 }, (_, n) => file(`${n}.pdf`, 60));
  const { rejected } = checkLimits(large, { ...LIMITS, files: 500 }, false);
  assert.equal(rejected.length, 21);
  assert.equal(rejected.at(-1), "More files are too large: 10.");
  assert.equal(shortened("😀".repeat(3000) + ".md"), `${"😀".repeat(40)}…${"😀".repeat(12)}.md`);
  assert.equal(shortened("a.md"), "a.md");
});
