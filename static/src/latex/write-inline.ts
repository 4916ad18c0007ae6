import type { AtomJSON, CiteAttrs, InlineJSON, MarkJSON } from "./document";
import { matches } from "./diff";
import { contentOf, marksOf, singly, unitsOf, type Unit, type Wrapper } from "./inline";
import { atomKey, looksKey, marksKey, markKey, piecesOf, type Piece } from "./keys";
import { macroAt } from "./macros";
import { written } from "./special-characters";
import { structure } from "./structure";

const COMMANDS: Record<MarkJSON["type"], string> = {
  bold: "textbf",
  italic: "emph",
  code: "texttt",
  underline: "underline",
  superscript: "textsuperscript",
  subscript: "textsubscript",
  smallcaps: "textsc",
};

interface Open {
  key: string;
  text: string;
}

/**
 * LaTeX of inline content, read before from `source` (null: new). What is unchanged is written as it stood there: a
 * changed word changes that word.
 * Blanks at the ends go, since LaTeX takes no notice of them.
 */
export function writeInline(
  content: readonly InlineJSON[] | undefined,
  source: string | null,
  newline: string,
): string {
  const pieces = trimmed(piecesOf(content));
  const units = source === null ? null : unitsOf(source);
  if (!units || source === null) return writePieces(pieces, [], "", newline);
  const kept = writePieces(pieces, singly(units), source, newline);
  const wanted = looksKey(content);
  if (looks(kept) === wanted) return kept;
  const fresh = writePieces(pieces, [], "", newline);
  return looks(fresh) === wanted ? fresh : kept;
}

/** How LaTeX looks when it is read again; null when it cannot be read as one line of text. */
function looks(latex: string): string | null {
  const units = unitsOf(latex);
  return units && looksKey(contentOf(units));
}

function trimmed(pieces: Piece[]): Piece[] {
  const blank = (piece: Piece | undefined): boolean =>
    !!piece && (piece.atom?.type === "softBreak" || (piece.text !== null && /[ \t\r\n]/.test(piece.text)));
  let [start, end] = [0, pieces.length];
  while (start < end && blank(pieces[start])) start++;
  while (end > start && blank(pieces[end - 1])) end--;
  return pieces.slice(start, end);
}

/** What a unit or a piece shows, whatever its marks: so that a text made bold keeps its source too. */
function bareKey({ text, atom }: { text: string | null; atom: AtomJSON | null }): string {
  return atom ? `\0${atomKey(atom)}` : (text ?? "");
}

function writePieces(pieces: Piece[], units: Unit[], source: string, newline: string): string {
  const from = new Map<number, number>();
  for (const [unit, piece] of matches(units.map(bareKey), pieces.map(bareKey))) from.set(piece, unit);
  let out = "";
  let open: Open[] = [];
  let last: Unit | null = null; // the unit just written, if it has the marks it was read with
  let macro = false; // whether the last thing written may take an option behind it
  const put = (text: string, isMacro = false): void => {
    out = joined(out, text, newline, macro);
    macro = isMacro;
  };
  /** Closes and opens marks until those of the next piece stand open. */
  const turn = (wanted: Open[]): void => {
    const keys = new Set(wanted.map(({ key }) => key));
    let stay = 0;
    while (stay < open.length && keys.has((open[stay] as Open).key)) stay++;
    for (let left = open.length - stay; left > 0; left--) put("}");
    open = open.slice(0, stay);
    for (const one of wanted) {
      if (open.some(({ key }) => key === one.key)) continue;
      put(one.text);
      open.push(one);
    }
  };

  pieces.forEach((piece, index) => {
    const at = from.get(index) ?? -1;
    const unit = units[at];
    const same = !!unit && marksKey(marksOf(unit.wrapper)) === marksKey(piece.marks);
    if (same && at === 0 && index === 0) {
      out = source.slice(0, unit.start);
      open = opensOf(unit.wrapper);
    } else if (same && last && last === units[at - 1] && sameOpen(open, opensOf(last.wrapper))) {
      out += source.slice(last.end, unit.start); // the braces between two neighbours, as they stand
      open = opensOf(unit.wrapper);
      out += source.slice(unit.start, unit.end);
      macro = !!unit.atom;
      last = unit;
      return;
    } else {
      turn(
        same
          ? opensOf(unit.wrapper)
          : piece.marks.map((mark) => ({
              key: markKey(mark),
              text: `\\${mark.attrs?.command || COMMANDS[mark.type]}{`,
            })),
      );
    }
    if (unit) put(source.slice(unit.start, unit.end), !!unit.atom);
    else put(piece.atom ? atomLatex(piece.atom, newline) : written(piece.text ?? ""), !!piece.atom);
    last = same ? unit : null;
  });
  const end = last as Unit | null;
  if (end && end === units[units.length - 1] && sameOpen(open, opensOf(end.wrapper)))
    return out + source.slice(end.end);
  turn([]);
  return out;
}

function opensOf(wrapper: Wrapper | null): Open[] {
  const opened: Open[] = [];
  for (let one = wrapper; one; one = one.parent) opened.unshift({ key: markKey(one.mark), text: one.open });
  return opened;
}

function sameOpen(one: Open[], other: Open[]): boolean {
  return one.length === other.length && one.every(({ key }, index) => key === other[index]?.key);
}

const WORD_AT_END = /(?:^|[^\\])(?:\\\\)*\\[a-zA-Z@]+[ \t]*$/;
const COMMENT_AT_END = /(?:^|[^\\])(?:\\\\)*%[^\r\n]*$/;
const LOOK_BACK = 200;

/**
 * `text` behind `out`, kept apart where the two would be read as one thing: `--`, `\ldots` and a letter, an empty line.
 */
function joined(out: string, text: string, newline: string, macro: boolean): string {
  if (!out || !text) return out + text;
  const last = out[out.length - 1] as string;
  const first = text[0] as string;
  const end = out.slice(-LOOK_BACK);
  if (/^[ \t]*[\r\n]/.test(text)) {
    return /[\r\n][ \t]*$/.test(end) ? out : out + text;
  }
  const line = end.slice(Math.max(end.lastIndexOf("\n"), end.lastIndexOf("\r")) + 1);
  if (line.includes("%") && COMMENT_AT_END.test(lineOf(out))) return `${out}${newline}${text}`;
  if (("-`'".includes(last) && first === last) || (macro && first === "[")) return `${out}{}${text}`;
  if (/^[a-zA-Z@ \t*[]/.test(text) && WORD_AT_END.test(end) && (/[ \t*[]/.test(first) || !/[ \t]/.test(last)))
    return `${out}{}${text}`;
  if (/^[*[]/.test(text) && /\\\\$/.test(end)) return `${out}{}${text}`;
  return out + text;
}

function lineOf(out: string): string {
  return out.slice(Math.max(out.lastIndexOf("\n"), out.lastIndexOf("\r")) + 1);
}

/** An atom as LaTeX: as it was read while it still says the same. */
export function atomLatex(atom: AtomJSON, newline: string): string {
  switch (atom.type) {
    case "cite":
      return citeLatex(atom.attrs);
    case "ref":
      return `\\${atom.attrs.command || "ref"}{${atom.attrs.key}}`;
    case "label":
      return `\\label{${atom.attrs.key}}`;
    case "footnote":
      return `\\footnote{${atom.attrs.latex}}`;
    case "maths":
      return atom.attrs.delimiters === "(" ? `\\(${atom.attrs.latex}\\)` : `$${atom.attrs.latex}$`;
    case "url":
      return atom.attrs.command === "href"
        ? `\\href{${atom.attrs.href}}{${atom.attrs.text}}`
        : `\\${atom.attrs.command || "url"}{${atom.attrs.href}}`;
    case "raw":
      return atom.attrs.latex;
    case "hardBreak":
      return "\\\\";
    case "softBreak":
      return atom.attrs?.source || newline;
  }
}

function citeLatex(attrs: CiteAttrs): string {
  if (attrs.source) {
    const read = macroAt(attrs.source, 0, structure(attrs.source).ends);
    if (read.end === attrs.source.length && atomKey(read.node) === atomKey({ type: "cite", attrs }))
      return attrs.source;
  }
  const options =
    attrs.pre != null ? `[${attrs.pre}][${attrs.post ?? ""}]` : attrs.post != null ? `[${attrs.post}]` : "";
  return `\\${attrs.command || "cite"}${options}{${attrs.keys.join(",")}}`;
}
