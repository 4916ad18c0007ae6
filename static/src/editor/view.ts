/**
 * What every view of the text answers: the plain box, the page (visual) and the source. `<section-editor>` knows no
 * more of them.
 */

/**
 * A stretch of the LaTeX, in UTF-16 units from its start (what `string.slice` takes). The server counts code points:
 * convert there.
 */
export interface Span {
  start: number;
  end: number;
}

/** A place to be painted, such as a comment's. */
export interface Mark extends Span {
  id: string;
}

/** Where to go: an offset in the LaTeX, or words with a little of what stands before and behind them. */
export type Place = number | { quote: string; before?: string; after?: string };

/** What is selected: `text` is its LaTeX. An empty selection in the visual view stands for the block it is in. */
export interface Selected extends Span {
  text: string;
}

/** Where the person types. */
export interface Caret extends Span {
  /** What stands before the caret in its line or block, as it is seen (at most 200 characters). */
  before: string;
  /** Where it is on the screen, for what opens beside it; null when it is nowhere. */
  rect: DOMRect | null;
}

export type Kind = "text" | "visual" | "source";

/** What the toolbar asks for. A view says by `does` which it can do, and by `state` which is on at the caret. */
export type Act =
  | "bold"
  | "italic"
  | "code"
  | "superscript"
  | "subscript"
  | "paragraph"
  | "section"
  | "subsection"
  | "subsubsection"
  | "blockquote"
  | "bulletList"
  | "orderedList"
  | "maths"
  | "mathBlock"
  | "table"
  | "figure"
  | "footnote"
  | "undo"
  | "redo"
  | "rowAfter"
  | "rowGone"
  | "columnAfter"
  | "columnGone"
  | "tableGone";

export interface View {
  readonly kind: Kind;
  /** The whole text as it stands now. */
  readonly latex: string;
  readonly caret: Caret;
  readonly selected: Selected;
  marks: readonly Mark[];
  /**
   * Put `text` in the place of the whole, changing only what differs and keeping the caret. `undoable`: as one step of
   * undo.
   */
  replace(text: string, options?: { undoable?: boolean }): void;
  /** Put LaTeX at the caret, behind what is selected. */
  insert(latex: string): void;
  /**
   * Cite at the caret, or among the keys of the command it stands in. `command` without its backslash; `locator` as
   * typed.
   */
  insertCite(keys: readonly string[], command: string, locator: string): void;
  focus(): void;
  show(place: Place): void;
  does(act: Act): boolean;
  state(act: Act): boolean;
  run(act: Act): void;
  destroy(): void;
}

/** What a view is given: where to stand, what to show first, and whom to tell. */
export interface Host {
  /** The `<section-editor>`, with its attributes (addresses). */
  editor: HTMLElement;
  /** An empty element for the view to fill. */
  place: HTMLElement;
  /** The box of the form: kept as its value, and for language and name. */
  box: HTMLTextAreaElement;
  latex: string;
  /** The line ending of the text. */
  newline: string;
  /** The person changed the text (not for `replace`). */
  edited(): void;
  /** The caret or the selection moved. */
  moved(): void;
  /** Tell the person a sentence, politely: "The picture could not be kept: ..." */
  say(words: string): void;
}

export type MakeView = (host: Host) => View;

/** The offset in `latex` that `place` names, or null when its words are not there any more. */
export function offsetOf(latex: string, place: Place): Span | null {
  if (typeof place === "number") return { start: Math.min(place, latex.length), end: Math.min(place, latex.length) };
  const { quote, before = "", after = "" } = place;
  const exact = latex.indexOf(before + quote + after);
  const at = exact >= 0 ? exact + before.length : quote ? latex.indexOf(quote) : -1;
  return at < 0 ? null : { start: at, end: at + quote.length };
}

/**
 * The smallest change that makes `to` of `from`: `from` from `start` to `end` gives way to `text`. Null when they are
 * the same.
 */
export function difference(from: string, to: string): (Span & { text: string }) | null {
  if (from === to) return null;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let same = 0;
  while (same < shorter - start && from[from.length - 1 - same] === to[to.length - 1 - same]) same++;
  return { start, end: from.length - same, text: to.slice(start, to.length - same) };
}
