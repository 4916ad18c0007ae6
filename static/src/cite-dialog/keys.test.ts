import assert from "node:assert/strict";
import { test } from "node:test";
import { actionOf, stepRow, type KeyPress } from "./keys";

const TYPING = { reached: false, empty: false, inBraces: false };
const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
  ...more,
});

test("Space is a space while typing, and adds to the tray after the arrow keys", () => {
  assert.equal(actionOf(press(" "), TYPING), null);
  assert.equal(actionOf(press(" "), { ...TYPING, reached: true }), "gather");
  assert.equal(actionOf(press(" ", { isComposing: true }), { ...TYPING, reached: true }), null);
});

test("Enter inserts, with Ctrl or Cmd the dialog stays, and composing is left alone", () => {
  assert.equal(actionOf(press("Enter"), TYPING), "insert");
  assert.equal(actionOf(press("Enter", { ctrlKey: true }), TYPING), "stay");
  assert.equal(actionOf(press("Enter", { metaKey: true }), TYPING), "stay");
  assert.equal(actionOf(press("Enter", { isComposing: true }), TYPING), null);
  assert.equal(actionOf(press("Escape"), TYPING), "close");
});

test("Backspace removes from the tray only when the field is empty", () => {
  assert.equal(actionOf(press("Backspace"), TYPING), null);
  assert.equal(actionOf(press("Backspace"), { ...TYPING, empty: true }), "drop");
});

test("a brace ends the input only in the braces of a cite command", () => {
  assert.equal(actionOf(press("}", { shiftKey: true }), TYPING), null);
  assert.equal(actionOf(press("}", { shiftKey: true }), { ...TYPING, inBraces: true }), "literal");
});

test("the arrow keys move between rows and stop at the ends", () => {
  assert.equal(actionOf(press("ArrowDown"), TYPING), "next");
  assert.equal(actionOf(press("ArrowUp"), TYPING), "previous");
  assert.equal(actionOf(press("ArrowLeft"), TYPING), null);
  assert.deepEqual([stepRow(-1, 1, 3), stepRow(0, 1, 3), stepRow(2, 1, 3)], [0, 1, 2]);
  assert.deepEqual([stepRow(-1, -1, 3), stepRow(0, -1, 3), stepRow(0, 1, 0)], [2, 0, -1]);
});
