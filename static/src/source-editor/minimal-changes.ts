import { type EditorState, StateEffect, Text, type TransactionSpec } from "@codemirror/state";
import { hunks } from "../latex/hunks";
import { replaceRange, toEditorPosition } from "./line-endings";

const LINE = /[^\r\n]*(?:\r\n?|\n|$)/g;

/**
 * Create the edit that changes the editor's text from `from` to `to`. Equal lines stay untouched, so that the caret
 * keeps its place, and changed lines change only where they differ. Null when the texts are equal.
 */
export function changesTo(
  state: EditorState,
  from: string,
  to: string,
): Pick<TransactionSpec, "changes" | "effects"> | null {
  if (from === to) return null;
  const [old, young] = [lines(from), lines(to)];
  const [oldAt, youngAt] = [starts(old), starts(young)];
  const changes: { from: number; to: number; insert: Text }[] = [];
  const effects: StateEffect<unknown>[] = [];
  let grown = 0; // how much longer the text is after the changes so far
  for (const hunk of hunks(old, young)) {
    const was = from.slice(oldAt[hunk.start], oldAt[hunk.end]);
    const is = to.slice(youngAt[hunk.from], youngAt[hunk.to]);
    const { head, tail } = countShared(was, is);
    const start = toEditorPosition(state, oldAt[hunk.start]! + head);
    const end = toEditorPosition(state, oldAt[hunk.end]! - tail);
    const edit = replaceRange(state, start, end, is.slice(head, is.length - tail), grown);
    changes.push(edit.changes);
    effects.push(...edit.effects);
    grown += edit.changes.insert.length - (end - start);
  }
  return { changes, effects };
}

function lines(text: string): string[] {
  return text.match(LINE)!;
}

/** Return the start of each line, and the end of the last one. */
function starts(list: readonly string[]): number[] {
  const found = [0];
  for (const line of list) found.push(found.at(-1)! + line.length);
  return found;
}

/** Count the common characters at the start and the end, without splitting a line ending or a surrogate pair. */
function countShared(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  while (head > 0 && startsPair(one[head - 1]!)) head--;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  while (tail > 0 && (one[one.length - tail] === "\n" || /[\udc00-\udfff]/.test(one[one.length - tail]!))) tail--;
  return { head, tail };
}

/** Tell whether a unit may belong together with the next one. */
function startsPair(sign: string): boolean {
  return sign === "\r" || /[\ud800-\udbff]/.test(sign);
}
