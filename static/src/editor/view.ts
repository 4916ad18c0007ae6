import type { Finder } from "../find/finder";

// The interface of the three views of a text: the plain text area, the visual view and the source view.

/** A range of the LaTeX in UTF-16 units, as `string.slice` takes them. The server counts in code points. */
export interface Span {
  start: number;
  end: number;
}

/** A range to highlight, such as a comment's. */
export interface Mark extends Span {
  id: string;
}

/** A position to go to: an offset in the LaTeX, or a quote with some context. */
export type Place = number | { quote: string; before?: string; after?: string };

/** The selection; `text` is its LaTeX. In the visual view an empty selection stands for its block. */
export interface SelectedText extends Span {
  text: string;
}

/** The caret. */
export interface Caret extends Span {
  /** The visible text before the caret in its line or block (at most 200 characters). */
  before: string;
  /** Its position on the screen; null when it is not visible. */
  rect: DOMRect | null;
}

/** The kind of a view. */
export type ViewKind = "text" | "visual" | "source";

/** An action of the toolbar. `canRun` tells whether it is possible, `isActive` whether its format is active. */
export type ToolbarAction =
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
  | "reference"
  | "undo"
  | "redo"
  | "rowBefore"
  | "rowAfter"
  | "rowGone"
  | "columnBefore"
  | "columnAfter"
  | "columnGone"
  | "tableGone";

/** A view of the text. */
export interface View {
  readonly kind: ViewKind;
  /** The current LaTeX. */
  readonly latex: string;
  readonly caret: Caret;
  readonly selected: SelectedText;
  marks: readonly Mark[];
  /** Replace the text, changing only what differs and keeping the caret. `undoable`: as one undo step. */
  replace(text: string, options?: { undoable?: boolean }): void;
  /** Insert LaTeX at the caret, after the selected text. */
  insert(latex: string): void;
  /** Cite at the caret, or in the cite command around it. `command` without its backslash; `locator` as typed. */
  insertCite(keys: readonly string[], command: string, locator: string): void;
  focus(): void;
  show(place: Place): void;
  canRun(act: ToolbarAction): boolean;
  isActive(act: ToolbarAction): boolean;
  run(act: ToolbarAction): void;
  destroy(): void;
  /** Finding and replacing; the plain text area leaves it to the browser. */
  readonly finder?: Finder;
}

/** The environment of a view. */
export interface ViewHost {
  /** The `<section-editor>`, with its attributes (addresses). */
  editor: HTMLElement;
  /** An empty element for the view to fill. */
  place: HTMLElement;
  /** The text area of the form, for its value, language and name. */
  box: HTMLTextAreaElement;
  latex: string;
  /** The line ending of the text. */
  newline: string;
  /** Called when the person changed the text (not for `replace`). */
  onEdit(): void;
  /** Called when the caret or the selection moved. */
  onCaretMove(): void;
  /** Announce a sentence to screen readers. */
  announce(words: string): void;
}

/** Creates a view. */
export type CreateView = (host: ViewHost) => View;

/** Find the range of `place` in `latex`; null when its quote is no longer there. */
export function findPlace(latex: string, place: Place): Span | null {
  if (typeof place === "number") return { start: Math.min(place, latex.length), end: Math.min(place, latex.length) };
  const { quote, before = "", after = "" } = place;
  const exact = latex.indexOf(before + quote + after);
  const at = exact >= 0 ? exact + before.length : quote ? latex.indexOf(quote) : -1;
  return at < 0 ? null : { start: at, end: at + quote.length };
}

/** Return the smallest change from `from` to `to`: replace the range by `text`. Null when they are equal. */
export function smallestChange(from: string, to: string): (Span & { text: string }) | null {
  if (from === to) return null;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let same = 0;
  while (same < shorter - start && from[from.length - 1 - same] === to[to.length - 1 - same]) same++;
  return { start, end: from.length - same, text: to.slice(start, to.length - same) };
}
