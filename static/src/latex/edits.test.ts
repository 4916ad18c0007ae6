import assert from "node:assert/strict";
import { test } from "node:test";
import { toDocument, toLatex } from ".";
import { chapters, dice, makeEdit, KINDS, findProblem } from "./edits.test-data";

const EDITS = 1000;

test("every chapter is restored exactly", () => {
  assert.ok(chapters().length >= 10);
  for (const [name, source] of chapters()) {
    const { doc, tail, newline, faults } = toDocument(source);
    assert.deepEqual(faults, [], name);
    assert.equal(toLatex(doc, tail, newline), source, name);
  }
});

test("a thousand edits change only their own blocks and parse to the edited content", () => {
  const roll = dice(7);
  const read = chapters().map(([name, source]) => ({ name, source, ...toDocument(source) }));
  let made = 0;
  const failures: string[] = [];
  while (made < EDITS) {
    const chapter = read[made % read.length] as (typeof read)[number];
    const edit = makeEdit(chapter.doc, KINDS[Math.floor(roll() * KINDS.length)] as (typeof KINDS)[number], roll);
    if (!edit) continue;
    made++;
    const why = findProblem(chapter.source, chapter, edit);
    if (why) failures.push(`${chapter.name}, ${edit.kind}: ${why}`);
  }
  assert.deepEqual(failures.slice(0, 20), []);
});
