import { nameAt, structure, wordEnd, type Structure } from "./structure";

/** The kind of a block by its start. Whether the visual editor can show its content is decided on reading. */
export type Kind = "paragraph" | "heading" | "list" | "quote" | "table" | "figure" | "math" | "comment" | "environment";

/** A block of a text: its exact source, and the white space before it. */
export interface Block {
  before: string;
  source: string;
  kind: Kind;
}

/** The blocks of a text; `tail` is the white space after the last one. */
export interface Split {
  blocks: Block[];
  tail: string;
}

/** The level of each heading command. */
export const LEVELS: Record<string, number> = {
  part: 1,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
  subparagraph: 6,
};

/** The environments of displayed formulas. */
export const MATHS = new Set(
  ["equation", "align", "gather", "multline", "eqnarray", "flalign", "alignat", "dmath"]
    .flatMap((name) => [name, `${name}*`])
    .concat("displaymath", "math*"),
);
const KINDS: Record<string, Kind> = {
  itemize: "list",
  enumerate: "list",
  description: "list",
  quote: "quote",
  quotation: "quote",
  table: "table",
  "table*": "table",
  tabular: "table",
  tabularx: "table",
  "tabular*": "table",
  longtable: "table",
  figure: "figure",
  "figure*": "figure",
  center: "environment",
  verbatim: "environment",
  lstlisting: "environment",
  minted: "environment",
  algorithm: "environment",
  sidewaystable: "table",
  "sidewaystable*": "table",
  sidewaysfigure: "figure",
  landscape: "environment",
};

const BLANKS = /[ \t\r\n]*/y;
const LINE_END = /\r\n|\r|\n/g;

/** Split a text into blocks; `join` restores it exactly, whatever the text. Linear time. */
export function split(source: string): Split {
  return splitWith(source, structure(source));
}

/** Join blocks to the text they were split from. */
export function join({ blocks, tail }: Split): string {
  return blocks.map((block) => block.before + block.source).join("") + tail;
}

/** Split a text whose structure is known. `whole`: it is a whole file, which may start with a byte order mark. */
export function splitWith(source: string, { ends }: Structure, whole = true): Split {
  const blocks: Block[] = [];
  let last = 0;
  let at = whole && source.startsWith("\uFEFF") ? 1 : 0;
  while ((at = skipBlanks(source, at)) < source.length) {
    const start = startAt(source, at, ends, true) ?? { kind: "paragraph", end: paragraphEnd(source, at, ends) };
    blocks.push({ before: source.slice(last, at), source: source.slice(at, start.end), kind: start.kind });
    at = last = start.end;
  }
  return { blocks, tail: source.slice(last) };
}

/** Return the offset after the white space at `at`. */
export function skipBlanks(source: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(source);
  return BLANKS.lastIndex;
}

/** Find the block at `at` if it is not a paragraph. `fresh`: `at` is the start of a line or block. */
function startAt(source: string, at: number, ends: Int32Array, fresh: boolean): { kind: Kind; end: number } | null {
  const end = ends[at] ?? 0;
  switch (source[at]) {
    case "%":
      return fresh ? { kind: "comment", end: commentsEnd(source, at, ends) } : null;
    case "$":
      return end && source[at + 1] === "$" ? { kind: "math", end } : null;
    case "\\":
      break;
    default:
      return null;
  }
  if (source[at + 1] === "[") return end ? { kind: "math", end } : null;
  const after = wordEnd(source, at + 1);
  const name = source.slice(at + 1, after);
  if (name === "begin" && end) {
    const environment = nameAt(source, after) ?? "";
    const kind = MATHS.has(environment) ? "math" : Object.hasOwn(KINDS, environment) ? KINDS[environment] : undefined;
    if (kind) return { kind, end: environment === "longtable" ? longNotesEnd(source, end, ends) : end };
    return fresh ? { kind: "environment", end } : null;
  }
  if (Object.hasOwn(LEVELS, name)) {
    const heading = headingAt(source, at, ends);
    return heading && { kind: "heading", end: heading.end };
  }
  return null;
}

const LONG_NOTES = /[ \t]*(?:\r\n|\r|\n)?[ \t]*(?=\{\\(?:footnotesize|small|scriptsize)(?![A-Za-z@]))/y;

/** Return the end of `{\footnotesize notes\par}` right below a longtable, which cannot hold them; else `end`. */
function longNotesEnd(source: string, end: number, ends: Int32Array): number {
  LONG_NOTES.lastIndex = end;
  if (!LONG_NOTES.test(source)) return end;
  const open = LONG_NOTES.lastIndex;
  const close = ends[open] ?? 0;
  const isNote = close && /\\par\s*\}$/.test(source.slice(Math.max(open, close - 60), close));
  return isNote && !/(?:\r\n|\r|\n)[ \t]*[\r\n]|\\begin(?![A-Za-z@])/.test(source.slice(open, close)) ? close : end;
}

/** The parts of a heading, as ranges in its source. */
export interface Heading {
  name: string;
  starred: boolean;
  short: [number, number] | null;
  title: [number, number];
  label: [number, number] | null;
  end: number;
}

const LABEL = /[ \t]*(?:\r\n|\r|\n)?[ \t]*\\label\{([^{}\\%\r\n]*)\}/y;

/** Parse the heading at `at`; null when it has no title in braces. */
export function headingAt(source: string, at: number, ends: Int32Array): Heading | null {
  let i = wordEnd(source, at + 1);
  const name = source.slice(at + 1, i);
  const starred = source[i] === "*";
  if (starred) i++;
  let short: Heading["short"] = null;
  if (source[i] === "[" && ends[i]) {
    const end = ends[i] ?? 0;
    short = [i + 1, end - 1];
    i = end;
  }
  const end = ends[i] ?? 0;
  if (source[i] !== "{" || !end) return null;
  LABEL.lastIndex = end;
  const label = LABEL.exec(source);
  const behind = label ? LABEL.lastIndex : end;
  return {
    name,
    starred,
    short,
    title: [i + 1, end - 1],
    end: behind,
    label: label ? [behind - 1 - (label[1] ?? "").length, behind - 1] : null,
  };
}

/** Return the end of consecutive comment lines, which form one block. */
function commentsEnd(source: string, at: number, ends: Int32Array): number {
  let end = ends[at] ?? 0;
  for (;;) {
    let next = end;
    if (source[next] === "\r") next++;
    if (source[next] === "\n" && next <= end + 1) next++;
    if (next === end) return end;
    while (source[next] === " " || source[next] === "\t") next++;
    if (source[next] !== "%") return end;
    end = ends[next] ?? source.length;
  }
}

function paragraphEnd(source: string, at: number, ends: Int32Array): number {
  let i = at;
  let end = at; // after the last character that is not white space
  while (i < source.length) {
    const code = source.charCodeAt(i);
    if (code === 32 || code === 9) {
      i++;
    } else if (code === 10 || code === 13) {
      const next = skipBlanks(source, i);
      if (isBlankLine(source.slice(i, next))) return end;
      i = next;
      if (source[i] !== "%" && startAt(source, i, ends, true)) return end;
      if (i >= source.length) return end;
    } else if (i > at && (code === 92 || code === 36) && startAt(source, i, ends, false)) {
      return end;
    } else {
      const over = code === 91 ? 0 : (ends[i] ?? 0);
      if (over) i = over;
      else if (code === 92)
        i = Math.min(source.length, source[i + 1] === "\n" || source[i + 1] === "\r" ? i + 1 : i + 2);
      else i++;
      end = i;
    }
  }
  return end;
}

/** Tell whether white space has two or more line ends. */
export function isBlankLine(blanks: string): boolean {
  let ends = 0;
  for (const _ of blanks.matchAll(LINE_END)) if (++ends > 1) return true;
  return false;
}
