import type { AtomJSON, CiteAttrs, InlineJSON, MarkJSON } from "./document";
import { matchingPairs } from "./diff";
import { contentOf, marksOf, splitUnits, unitsOf, type Unit, type Wrapper } from "./inline";
import { atomKey, visibleKey, marksKey, markKey, piecesOf, type Piece } from "./keys";
import { macroAt } from "./macros";
import { escapeCharacter } from "./special-characters";
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
 * Write inline content as LaTeX. `source` is the LaTeX it was read from (null for new content); unchanged parts are
 * written exactly as there. White space at the ends is removed, because LaTeX ignores it.
 */
export function writeInline(
  content: readonly InlineJSON[] | undefined,
  source: string | null,
  newline: string,
): string {
  const pieces = trimPieces(piecesOf(content));
  const units = source === null ? null : unitsOf(source);
  if (!units || source === null) return writePieces(pieces, [], "", newline);
  const minimal = writePieces(pieces, splitUnits(units), source, newline);
  const wanted = visibleKey(content);
  if (visibleKeyOf(minimal) === wanted) return minimal;
  const fresh = writePieces(pieces, [], "", newline);
  return visibleKeyOf(fresh) === wanted ? fresh : minimal;
}

/** Parse LaTeX again and return its key; null when it is not inline text. */
function visibleKeyOf(latex: string): string | null {
  const units = unitsOf(latex);
  return units && visibleKey(contentOf(units));
}

function trimPieces(pieces: Piece[]): Piece[] {
  const blank = (piece: Piece | undefined): boolean =>
    !!piece && (piece.atom?.type === "softBreak" || (piece.text !== null && /[ \t\r\n]/.test(piece.text)));
  let [start, end] = [0, pieces.length];
  while (start < end && blank(pieces[start])) start++;
  while (end > start && blank(pieces[end - 1])) end--;
  return pieces.slice(start, end);
}

/** Return the key of a unit or piece without its marks, so that text made bold keeps its source. */
function bareKey({ text, atom }: { text: string | null; atom: AtomJSON | null }): string {
  return atom ? `\0${atomKey(atom)}` : (text ?? "");
}

function writePieces(pieces: Piece[], units: Unit[], source: string, newline: string): string {
  const from = new Map<number, number>();
  for (const [unit, piece] of matchingPairs(units.map(bareKey), pieces.map(bareKey))) from.set(piece, unit);
  const out = new LatexBuilder(newline);
  let open: Open[] = [];
  let last: Unit | null = null; // the unit written last, if its marks are unchanged
  let macro = false; // true when the text written last would take a following bracket as its option
  const append = (text: string, isMacro = false): void => {
    out.addSafely(text, macro);
    macro = isMacro;
  };
  /** Close and open marks until those of the next piece are open. */
  const setOpenMarks = (wanted: Open[]): void => {
    const keys = new Set(wanted.map(({ key }) => key));
    let stay = 0;
    while (stay < open.length && keys.has((open[stay] as Open).key)) stay++;
    for (let left = open.length - stay; left > 0; left--) append("}");
    open = open.slice(0, stay);
    for (const one of wanted) {
      if (open.some(({ key }) => key === one.key)) continue;
      append(one.text);
      open.push(one);
    }
  };

  pieces.forEach((piece, index) => {
    const at = from.get(index) ?? -1;
    const unit = units[at];
    const same = !!unit && marksKey(marksOf(unit.wrapper)) === marksKey(piece.marks);
    if (same && at === 0 && index === 0) {
      out.add(source.slice(0, unit.start));
      open = opensOf(unit.wrapper);
    } else if (same && last && last === units[at - 1] && sameOpen(open, opensOf(last.wrapper))) {
      out.add(source.slice(last.end, unit.start)); // the braces between two unchanged neighbours
      open = opensOf(unit.wrapper);
      out.add(source.slice(unit.start, unit.end));
      macro = !!unit.atom;
      last = unit;
      return;
    } else {
      setOpenMarks(
        same
          ? opensOf(unit.wrapper)
          : piece.marks.map((mark) => ({
              key: markKey(mark),
              text: `\\${mark.attrs?.command || COMMANDS[mark.type]}{`,
            })),
      );
    }
    if (unit) append(source.slice(unit.start, unit.end), !!unit.atom);
    else if (piece.atom) {
      if (!isUnfinished(piece.atom)) append(atomLatex(piece.atom, newline), true);
    } else
      append(
        escapeCharacter(
          piece.text ?? "",
          piece.marks.some(({ type }) => type === "code"),
        ),
      );
    last = same ? unit : null;
  });
  const end = last as Unit | null;
  if (end && end === units[units.length - 1] && sameOpen(open, opensOf(end.wrapper))) out.add(source.slice(end.end));
  else setOpenMarks([]);
  return out.toString();
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
 * LaTeX in the making. Its pieces are joined once, at the end: reading the end of a long text that grows by a character
 * at a time would copy all of it each time.
 */
class LatexBuilder {
  private pieces: string[] = [];
  private end = ""; // the last LOOK_BACK units

  constructor(private readonly newline: string) {}

  toString(): string {
    this.pieces = [this.pieces.join("")];
    return this.pieces[0] as string;
  }

  add(text: string): void {
    if (!text) return;
    this.pieces.push(text);
    this.end = (text.length < LOOK_BACK ? this.end + text : text).slice(-LOOK_BACK);
  }

  /** Add `text`, separated where the two would be read as one: `--`, `\ldots` and a letter, an empty line. */
  addSafely(text: string, macro: boolean): void {
    if (this.end && text) {
      if (/^[ \t]*[\r\n]/.test(text)) {
        if (/[\r\n][ \t]*$/.test(this.end)) return;
      } else this.add(this.separator(text, macro));
    }
    this.add(text);
  }

  private separator(text: string, macro: boolean): string {
    const { end, newline } = this;
    const [last, first] = [end[end.length - 1] as string, text[0] as string];
    if (lineOf(end).includes("%") && COMMENT_AT_END.test(lineOf(this.toString()))) return newline;
    if (("-`'".includes(last) && first === last) || (macro && first === "[")) return "{}";
    if (
      /^[a-zA-Z@ \t*[]/.test(text) &&
      end.includes("\\") &&
      WORD_AT_END.test(end) &&
      (/[ \t*[]/.test(first) || !/[ \t]/.test(last))
    )
      return "{}";
    return /^[*[]/.test(text) && /\\\\$/.test(end) ? "{}" : "";
  }
}

function lineOf(text: string): string {
  return text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1);
}

/**
 * Tell whether an atom was inserted and has nothing in it yet, because its sheet is open. It is not written: what is
 * saved meanwhile must build, and `$$` would begin a displayed formula.
 */
function isUnfinished({ type, attrs }: AtomJSON): boolean {
  if (type === "maths" || type === "footnote") return attrs.latex === "";
  return (type === "ref" || type === "label") && attrs.key === "";
}

/** Write an atom as LaTeX, exactly as read while it is unchanged. */
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
