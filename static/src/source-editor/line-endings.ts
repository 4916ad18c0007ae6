import {
  type ChangeSet,
  EditorState,
  type Range,
  RangeSet,
  RangeValue,
  StateEffect,
  StateField,
  type Text,
  Text as Lines,
} from "@codemirror/state";
import { invertedEffects } from "@codemirror/commands";

/** A line ending. */
export type Ending = "\n" | "\r\n" | "\r";

/**
 * The line endings of a text. CodeMirror supports one ending, a text may have three. In the editor all lines end with
 * line feeds; `others` marks those that stand for a different ending than `usual`, the most common one, which new lines
 * get. So the text is written back exactly as read.
 */
interface Endings {
  usual: Ending;
  others: RangeSet<UnusualEnding>; // each covers its line feed
}

class UnusualEnding extends RangeValue {
  override startSide = 1;
  override endSide = -1;
  constructor(readonly ending: Ending) {
    super();
  }
  override eq(other: RangeValue): boolean {
    return other instanceof UnusualEnding && other.ending === this.ending;
  }
}

const UNUSUAL: Record<Ending, UnusualEnding> = {
  "\n": new UnusualEnding("\n"),
  "\r\n": new UnusualEnding("\r\n"),
  "\r": new UnusualEnding("\r"),
};

/** Split a text into lines for `EditorState.create`, with its line endings. */
export function splitLines(text: string): { doc: Text; endings: Endings } {
  const doc = Lines.of(text.split(/\r\n?|\n/));
  if (!text.includes("\r")) return { doc, endings: { usual: "\n", others: RangeSet.empty } };
  const found: Ending[] = text.match(/\r\n?|\n/g) as Ending[];
  const count: Record<Ending, number> = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (const one of found) count[one]++;
  const usual = (["\r\n", "\n", "\r"] as const).reduce((most, one) => (count[one] > count[most] ? one : most));
  return { doc, endings: { usual, others: RangeSet.of(unusualEndings(doc, found, usual, 0)) } };
}

/** List the endings of `doc` that are not `usual`, shifted by `by`. `found` has the endings of its lines in order. */
function unusualEndings(doc: Text, found: readonly Ending[], usual: Ending, by: number): Range<UnusualEnding>[] {
  const ranges: Range<UnusualEnding>[] = [];
  let end = by;
  const lines = doc.iterLines();
  for (const ending of found) {
    end += lines.next().value.length;
    if (ending !== usual) ranges.push(UNUSUAL[ending].range(end, end + 1));
    end++;
  }
  return ranges;
}

/** Sets the endings of the line feeds at `from`, after undo or `replace`. */
const setEndings = StateEffect.define<{ from: number; ending: Ending }[]>({
  map: (list, changes) => list.map(({ from, ending }) => ({ from: changes.mapPos(from, 1), ending })),
});

/** The state field with the line endings. */
export const endings = StateField.define<Endings>({
  create: () => ({ usual: "\n", others: RangeSet.empty }),
  update(value, transaction) {
    const restored = transaction.effects.flatMap((effect) => (effect.is(setEndings) ? effect.value : []));
    if (!transaction.docChanged && !restored.length) return value;
    let others = withoutReplaced(value.others.map(transaction.changes), transaction.changes);
    if (restored.length) {
      const at = new Set(restored.map(({ from }) => from));
      const doc = transaction.state.doc;
      const add = restored
        .filter(({ from, ending }) => ending !== value.usual && from < doc.length && doc.lineAt(from).to === from)
        .map(({ from, ending }) => UNUSUAL[ending].range(from, from + 1));
      others = others.update({ filter: (from) => !at.has(from), add, sort: true });
    }
    return withoutSplitCrLf({ usual: value.usual, others }, transaction.changes, transaction.state.doc);
  },
});

/** Remove the entries whose line feed was replaced; mapping would move them to the replacement. */
function withoutReplaced(others: RangeSet<UnusualEnding>, changes: ChangeSet): RangeSet<UnusualEnding> {
  let remaining = others;
  if (remaining.size) {
    changes.iterChangedRanges((_fromA, _toA, start, end) => {
      remaining = remaining.update({
        filter: (from, to) => from < start || to > end,
        filterFrom: start,
        filterTo: end,
      });
    });
  }
  return remaining;
}

/**
 * Avoid a carriage return followed by an empty line that ends with a line feed: it would be read as one ending and the
 * line would be lost. The first ending becomes "\r\n" instead.
 */
function withoutSplitCrLf(value: Endings, changes: ChangeSet, doc: Text): Endings {
  if (value.usual !== "\r" && value.others.size === 0) return value;
  const add: Range<UnusualEnding>[] = [];
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const last = Math.min(doc.lines, doc.lineAt(toB).number + 1);
    for (let n = Math.max(1, doc.lineAt(fromB).number - 1); n < last; n++) {
      const [line, next] = [doc.line(n), doc.line(n + 1)];
      if (next.length || next.number === doc.lines) continue;
      if (endingAt(value, line.to) === "\r" && endingAt(value, next.to) === "\n")
        add.push(UNUSUAL["\r\n"].range(line.to, line.to + 1));
    }
  });
  if (!add.length) return value;
  const at = new Set(add.map(({ from }) => from));
  const once = add.filter(({ from }, place) => add.findIndex((one) => one.from === from) === place);
  return {
    usual: value.usual,
    others: value.others.update({ filter: (from) => !at.has(from), add: once, sort: true }),
  };
}

function endingAt({ usual, others }: Endings, at: number): Ending {
  let found = usual;
  others.between(at, at + 1, (from, _to, { ending }) => {
    if (from !== at) return;
    found = ending;
    return false;
  });
  return found;
}

/** Restores the line endings of deleted lines and their neighbours on undo. */
const restoreOnUndo = invertedEffects.of((transaction) => {
  const { doc } = transaction.startState;
  const value = transaction.startState.field(endings);
  if (!transaction.docChanged || (value.usual !== "\r" && !value.others.size)) return [];
  const was = new Map<number, Ending>();
  transaction.changes.iterChangedRanges((from, to) => {
    const last = Math.min(doc.lines - 1, doc.lineAt(to).number + 1);
    const first = Math.max(1, doc.lineAt(from).number - 1);
    for (let n = first, line = doc.line(first); n <= last; n++, line = doc.line(n))
      was.set(line.to, endingAt(value, line.to));
  });
  return [setEndings.of([...was].map(([from, ending]) => ({ from, ending })))];
});

/** Create the document and the extension that keep the line endings of `text`. */
export function keepEndings(text: string): {
  doc: Text;
  extension: readonly [ReturnType<typeof endings.init>, typeof restoreOnUndo];
} {
  const first = splitLines(text);
  return { doc: first.doc, extension: [endings.init(() => first.endings), restoreOnUndo] };
}

/** Return the text with its original line endings. */
export function textOf(state: EditorState, from = 0, to = state.doc.length): string {
  const { usual, others } = state.field(endings);
  if (!others.size) return state.doc.sliceString(from, to, usual);
  const parts: string[] = [];
  let at = from;
  others.between(from, to, (start, end, { ending }) => {
    if (start < from || end > to) return;
    parts.push(state.doc.sliceString(at, start, usual), ending);
    at = end;
  });
  return parts.join("") + state.doc.sliceString(at, to, usual);
}

/** Convert an editor position to an offset of the text. */
export function toTextOffset(state: EditorState, at: number): number {
  const { usual, others } = state.field(endings);
  let length = at + (usual === "\r\n" ? state.doc.lineAt(at).number - 1 : 0);
  others.between(0, at, (_from, to, { ending }) => {
    if (to <= at) length += ending.length - usual.length;
  });
  return length;
}

/** Convert an offset of the text to an editor position; an offset inside an ending maps to its start. */
export function toEditorPosition(state: EditorState, offset: number): number {
  const { usual, others } = state.field(endings);
  if (usual !== "\r\n" && !others.size) return Math.max(0, Math.min(offset, state.doc.length));
  let [low, high] = [0, state.doc.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (toTextOffset(state, middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Create the change that replaces the editor range with `text` and its line endings. `grown` is how much longer the
 * text becomes through earlier changes of the same transaction.
 */
export function replaceRange(
  state: EditorState,
  from: number,
  to: number,
  text: string,
  grown = 0,
): { changes: { from: number; to: number; insert: Text }; effects: StateEffect<unknown>[] } {
  const insert = Lines.of(text.split(/\r\n?|\n/));
  const { usual } = state.field(endings);
  const found = (text.match(/\r\n?|\n/g) ?? []) as Ending[];
  const list = unusualEndings(insert, found, usual, from + grown).map((range) => ({
    from: range.from,
    ending: range.value.ending,
  }));
  return { changes: { from, to, insert }, effects: list.length ? [setEndings.of(list)] : [] };
}
