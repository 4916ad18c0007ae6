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

/** How a line ends. */
export type Ending = "\n" | "\r\n" | "\r";

/**
 * CodeMirror knows one line ending, a text may have three. The text of the editor has line feeds; this says which of
 * them stand for something else than `usual`, the ending of most lines, which is also that of every new line. What was
 * read is written back as it was.
 */
interface Endings {
  usual: Ending;
  others: RangeSet<Other>; // over the line feed that it is about
}

class Other extends RangeValue {
  override startSide = 1;
  override endSide = -1;
  constructor(readonly ending: Ending) {
    super();
  }
  override eq(other: RangeValue): boolean {
    return other instanceof Other && other.ending === this.ending;
  }
}

const OTHER: Record<Ending, Other> = { "\n": new Other("\n"), "\r\n": new Other("\r\n"), "\r": new Other("\r") };

/** What a text is once it is split into lines: for `EditorState.create`. */
export function read(text: string): { doc: Text; endings: Endings } {
  const doc = Lines.of(text.split(/\r\n?|\n/));
  if (!text.includes("\r")) return { doc, endings: { usual: "\n", others: RangeSet.empty } };
  const found: Ending[] = text.match(/\r\n?|\n/g) as Ending[];
  const count: Record<Ending, number> = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (const one of found) count[one]++;
  const usual = (["\r\n", "\n", "\r"] as const).reduce((most, one) => (count[one] > count[most] ? one : most));
  return { doc, endings: { usual, others: RangeSet.of(unusual(doc, found, usual, 0)) } };
}

/** The endings of `doc` that are not `usual`, moved by `by`; `found` are those of its lines in order. */
function unusual(doc: Text, found: readonly Ending[], usual: Ending, by: number): Range<Other>[] {
  const ranges: Range<Other>[] = [];
  let end = by;
  const lines = doc.iterLines();
  for (const ending of found) {
    end += lines.next().value.length;
    if (ending !== usual) ranges.push(OTHER[ending].range(end, end + 1));
    end++;
  }
  return ranges;
}

/**
 * The line feeds at `from` stand for `ending`s again, or for the first time: what undo brings back, or `replace` brings
 * in.
 */
const ended = StateEffect.define<{ from: number; ending: Ending }[]>({
  map: (list, changes) => list.map(({ from, ending }) => ({ from: changes.mapPos(from, 1), ending })),
});

export const endings = StateField.define<Endings>({
  create: () => ({ usual: "\n", others: RangeSet.empty }),
  update(value, transaction) {
    const told = transaction.effects.flatMap((effect) => (effect.is(ended) ? effect.value : []));
    if (!transaction.docChanged && !told.length) return value;
    let others = withoutReplaced(value.others.map(transaction.changes), transaction.changes);
    if (told.length) {
      const at = new Set(told.map(({ from }) => from));
      const doc = transaction.state.doc;
      const add = told
        .filter(({ from, ending }) => ending !== value.usual && from < doc.length && doc.lineAt(from).to === from)
        .map(({ from, ending }) => OTHER[ending].range(from, from + 1));
      others = others.update({ filter: (from) => !at.has(from), add, sort: true });
    }
    return settled({ usual: value.usual, others }, transaction.changes, transaction.state.doc);
  },
});

/** Without those whose line feed gave way to something else: mapping leaves them over what came in its place. */
function withoutReplaced(others: RangeSet<Other>, changes: ChangeSet): RangeSet<Other> {
  let kept = others;
  if (kept.size) {
    changes.iterChangedRanges((_fromA, _toA, start, end) => {
      kept = kept.update({ filter: (from, to) => from < start || to > end, filterFrom: start, filterTo: end });
    });
  }
  return kept;
}

/**
 * A carriage return before an empty line that ends with a line feed would be read as one ending, and the line be lost.
 * An edit that brings the two together makes the first of them both.
 */
function settled(value: Endings, changes: ChangeSet, doc: Text): Endings {
  if (value.usual !== "\r" && value.others.size === 0) return value;
  const add: Range<Other>[] = [];
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const last = Math.min(doc.lines, doc.lineAt(toB).number + 1);
    for (let n = Math.max(1, doc.lineAt(fromB).number - 1); n < last; n++) {
      const [line, next] = [doc.line(n), doc.line(n + 1)];
      if (next.length || next.number === doc.lines) continue;
      if (endingAt(value, line.to) === "\r" && endingAt(value, next.to) === "\n")
        add.push(OTHER["\r\n"].range(line.to, line.to + 1));
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

/**
 * The endings of lines that an edit takes away, or of their neighbours that it changes, come back when it is undone.
 */
const remembered = invertedEffects.of((transaction) => {
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
  return [ended.of([...was].map(([from, ending]) => ({ from, ending })))];
});

/** Keeps the endings of `text` from here on. */
export function keepEndings(text: string): {
  doc: Text;
  extension: readonly [ReturnType<typeof endings.init>, typeof remembered];
} {
  const first = read(text);
  return { doc: first.doc, extension: [endings.init(() => first.endings), remembered] };
}

/** The text as it is to be stored. */
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

/** Where the place `at` of the editor stands in the text. */
export function outside(state: EditorState, at: number): number {
  const { usual, others } = state.field(endings);
  let length = at + (usual === "\r\n" ? state.doc.lineAt(at).number - 1 : 0);
  others.between(0, at, (_from, to, { ending }) => {
    if (to <= at) length += ending.length - usual.length;
  });
  return length;
}

/** Where the offset `offset` of the text stands in the editor; before an ending for an offset within it. */
export function inside(state: EditorState, offset: number): number {
  const { usual, others } = state.field(endings);
  if (usual !== "\r\n" && !others.size) return Math.max(0, Math.min(offset, state.doc.length));
  let [low, high] = [0, state.doc.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (outside(state, middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The change that makes the text from `from` to `to` of the editor be `text`, its endings as they are written there.
 * `grown`: by how much the editor's text is longer by changes before it in the same transaction.
 */
export function change(
  state: EditorState,
  from: number,
  to: number,
  text: string,
  grown = 0,
): { changes: { from: number; to: number; insert: Text }; effects: StateEffect<unknown>[] } {
  const insert = Lines.of(text.split(/\r\n?|\n/));
  const { usual } = state.field(endings);
  const found = (text.match(/\r\n?|\n/g) ?? []) as Ending[];
  const told = unusual(insert, found, usual, from + grown).map((range) => ({
    from: range.from,
    ending: range.value.ending,
  }));
  return { changes: { from, to, insert }, effects: told.length ? [ended.of(told)] : [] };
}
