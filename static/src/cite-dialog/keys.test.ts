import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf, step, type Pressed } from "./keys";

const TYPING = { reached: false, empty: false, inBraces: false };
const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
  ...more,
});

test("Space is a space while somebody types, and gathers once the arrows led to a row", () => {
  assert.equal(actOf(press(" "), TYPING), null);
  assert.equal(actOf(press(" "), { ...TYPING, reached: true }), "gather");
  assert.equal(actOf(press(" ", { isComposing: true }), { ...TYPING, reached: true }), null);
});

test("Enter inserts, with Ctrl or Cmd it stays, and composing a word is left alone", () => {
  assert.equal(actOf(press("Enter"), TYPING), "insert");
  assert.equal(actOf(press("Enter", { ctrlKey: true }), TYPING), "stay");
  assert.equal(actOf(press("Enter", { metaKey: true }), TYPING), "stay");
  assert.equal(actOf(press("Enter", { isComposing: true }), TYPING), null);
  assert.equal(actOf(press("Escape"), TYPING), "close");
});

test("Backspace takes from the tray only where there is nothing to delete", () => {
  assert.equal(actOf(press("Backspace"), TYPING), null);
  assert.equal(actOf(press("Backspace"), { ...TYPING, empty: true }), "drop");
});

test("a brace ends what is typed only in the braces of a cite command", () => {
  assert.equal(actOf(press("}", { shiftKey: true }), TYPING), null);
  assert.equal(actOf(press("}", { shiftKey: true }), { ...TYPING, inBraces: true }), "literal");
});

test("the arrows go from row to row and stop at the ends", () => {
  assert.equal(actOf(press("ArrowDown"), TYPING), "next");
  assert.equal(actOf(press("ArrowUp"), TYPING), "previous");
  assert.equal(actOf(press("ArrowLeft"), TYPING), null);
  assert.deepEqual([step(-1, 1, 3), step(0, 1, 3), step(2, 1, 3)], [0, 1, 2]);
  assert.deepEqual([step(-1, -1, 3), step(0, -1, 3), step(0, 1, 0)], [2, 0, -1]);
});
