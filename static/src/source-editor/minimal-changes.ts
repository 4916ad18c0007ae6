import { type EditorState, StateEffect, Text, type TransactionSpec } from "@codemirror/state";
import { hunks } from "../latex/hunks";
import { change, inside } from "./endings";

const LINE = /[^\r\n]*(?:\r\n?|\n|$)/g;

/**
 * The edit of the editor that makes its text, which is `from`, be `to`: lines that are the same stay untouched, so that
 * the caret in them stays where it is, and in a changed line only what differs. Null when the texts are the same.
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
  let grown = 0; // by how much the editor's text is longer after the changes so far
  for (const hunk of hunks(old, young)) {
    const was = from.slice(oldAt[hunk.start], oldAt[hunk.end]);
    const is = to.slice(youngAt[hunk.from], youngAt[hunk.to]);
    const { head, tail } = shared(was, is);
    const start = inside(state, oldAt[hunk.start]! + head);
    const end = inside(state, oldAt[hunk.end]! - tail);
    const made = change(state, start, end, is.slice(head, is.length - tail), grown);
    changes.push(made.changes);
    effects.push(...made.effects);
    grown += made.changes.insert.length - (end - start);
  }
  return { changes, effects };
}

function lines(text: string): string[] {
  return text.match(LINE)!;
}

/** Where each line starts, and where the last one ends. */
function starts(list: readonly string[]): number[] {
  const found = [0];
  for (const line of list) found.push(found.at(-1)! + line.length);
  return found;
}

/** How many signs both begin and end with, no line ending and no sign of two units cut in two. */
function shared(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  while (head > 0 && joined(one[head - 1]!)) head--;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  while (tail > 0 && (one[one.length - tail] === "\n" || /[\udc00-\udfff]/.test(one[one.length - tail]!))) tail--;
  return { head, tail };
}

/** A sign that may belong to the one behind it. */
function joined(sign: string): boolean {
  return sign === "\r" || /[\ud800-\udbff]/.test(sign);
}
