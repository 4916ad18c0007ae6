import { skipBlanks } from "./blocks";
import { wordEnd } from "./structure";

/** A cell in the source. */
export interface SourceCell {
  /** Its range without the white space around it, and that of its words within commands such as `\multicolumn`. */
  place: [number, number];
  words: [number, number];
  /** How many columns and rows it takes. */
  columns: number;
  rows: number;
  /** The column specification of `\multicolumn`, and the range of its number; null without. */
  spec: string | null;
  count: [number, number] | null;
}

/** The parts of a longtable; every row of another table is in its body. */
export type Part = "firsthead" | "head" | "foot" | "lastfoot" | "body";

/** A row, which ends after its `\\`, or what stands between rows: a rule, a comment, the caption of a longtable. */
export type Line = { start: number; end: number; part: Part } & (
  { rule: string } | { rule: null; cells: SourceCell[] }
);
export type Row = Extract<Line, { rule: null }>;

/** What may follow each command that stands between rows: o an option, r a range in parentheses, g a group. */
const BETWEEN: Record<string, string> = {
  toprule: "o",
  midrule: "o",
  bottomrule: "o",
  hline: "",
  cmidrule: "org",
  cline: "g",
  hhline: "g",
  addlinespace: "o",
  specialrule: "ggg",
  morecmidrules: "",
  noalign: "g",
  rowcolor: "og",
  arrayrulecolor: "og",
  pagebreak: "o",
  nopagebreak: "o",
  endfirsthead: "",
  endhead: "",
  endfoot: "",
  endlastfoot: "",
};
const CAPTION = /\\(?:caption|label)(?![A-Za-z@])/y;
const RANGE = /\([^()\r\n]*\)/y;
const MULTICOLUMN = /\\multicolumn\s*\{(\d{1,2})\}\s*(?=\{)/y;
const MULTIROW =
  /\\multirow(?:\[[^\]]*\])?\s*\{(\d{1,3})\}(?:\[[^\]]*\])?\s*(?:\*|\{[^{}]*\})\s*(?:\[[^\]]*\])?\s*(?=\{)/y;
const STACKED = /\\(?:makecell|thead|shortstack)(?:\[[^\]]*\])?(?=\{)/y;
const BOXED = /\\begin\{minipage\}(?:\[[^\]]*\])?\{\\linewidth\}\s*(?:\\(?:raggedright|raggedleft|centering)\b)?\s*/y;
const BOX_END = "\\end{minipage}";

/** Split the lines of a tabular; null when it contains what the editor does not know. */
export function linesOf(source: string, from: number, to: number, ends: Int32Array): Line[] | null {
  const lines: Line[] = [];
  let at = skipBlanks(source, from);
  let first = 0; // of the present part of a longtable
  while (at < to) {
    const between = betweenAt(source, at, ends);
    if (between) {
      lines.push({ start: at, end: between.end, rule: between.name, part: "body" });
      if (between.name.startsWith("end")) {
        for (const line of lines.slice(first)) line.part = between.name.slice(3) as Part;
        first = lines.length;
      }
      at = skipBlanks(source, between.end);
      continue;
    }
    const row = rowAt(source, at, to, ends);
    if (!row) return null;
    lines.push(row);
    at = skipBlanks(source, row.end);
  }
  return lines;
}

/** Parse what stands between rows at `at`. */
function betweenAt(source: string, at: number, ends: Int32Array): { name: string; end: number } | null {
  if (source[at] === "%") return { name: "comment", end: ends[at] || source.length };
  if (source[at] !== "\\") return null;
  CAPTION.lastIndex = at;
  if (CAPTION.test(source)) return captionLine(source, at, ends);
  const after = wordEnd(source, at + 1);
  const name = source.slice(at + 1, after);
  if (!Object.hasOwn(BETWEEN, name)) return null;
  let end = source[after] === "*" ? after + 1 : after;
  for (const argument of BETWEEN[name] as string) {
    RANGE.lastIndex = end;
    if (argument === "o" && source[end] === "[" && ends[end]) end = ends[end] as number;
    else if (argument === "g" && source[end] === "{" && ends[end]) end = ends[end] as number;
    else if (argument === "r" && RANGE.test(source)) end = RANGE.lastIndex;
  }
  return { name, end };
}

/** Parse `\caption{...}\label{...}\\` in a longtable. */
function captionLine(source: string, at: number, ends: Int32Array): { name: string; end: number } | null {
  let end = at;
  for (CAPTION.lastIndex = end; CAPTION.test(source); CAPTION.lastIndex = end) {
    end = CAPTION.lastIndex;
    if (source[end] === "*") end++;
    if (source[end] === "[") end = ends[end] || end;
    if (source[end] !== "{" || !ends[end]) return null;
    end = skipBlanks(source, ends[end] as number);
  }
  const closing = rowEnd(source, end, ends);
  return closing ? { name: "caption", end: closing } : null;
}

/** Return the end of the `\\` or `\tabularnewline` at `at`; 0 without one. */
function rowEnd(source: string, at: number, ends: Int32Array): number {
  if (source.startsWith("\\tabularnewline", at) && wordEnd(source, at + 1) === at + 15) return at + 15;
  if (source[at] !== "\\" || source[at + 1] !== "\\") return 0;
  const end = source[at + 2] === "*" ? at + 3 : at + 2;
  return source[end] === "[" ? ends[end] || end : end;
}

function rowAt(source: string, start: number, to: number, ends: Int32Array): Row | null {
  const cells: SourceCell[] = [];
  let at = start;
  let cell = start;
  const close = (): boolean => {
    const inside = source.slice(cell, at);
    const begin = cell + inside.length - inside.trimStart().length;
    const read = cellIn(source, begin, Math.max(begin, cell + inside.trimEnd().length), ends);
    if (read) cells.push(read);
    return read !== null;
  };
  while (at < to) {
    const code = source.charCodeAt(at);
    const over = code === 91 ? 0 : (ends[at] ?? 0);
    if (code === 37) return null; // a comment within a row
    if (over) {
      at = over;
    } else if (code === 38) {
      if (!close()) return null;
      cell = ++at;
    } else if (code === 92) {
      const end = rowEnd(source, at, ends);
      if (end) return close() ? { start, end, rule: null, part: "body", cells } : null;
      const after = wordEnd(source, at + 1);
      if (Object.hasOwn(BETWEEN, source.slice(at + 1, after))) return null;
      at = Math.max(after, at + 2);
    } else {
      at++;
    }
  }
  if (!close()) return null;
  return { start, end: (cells[cells.length - 1] as SourceCell).place[1], rule: null, part: "body", cells };
}

/** Parse a cell; null when it joins columns but contains more than that. */
function cellIn(source: string, from: number, to: number, ends: Int32Array): SourceCell | null {
  const cell: SourceCell = { place: [from, to], words: [from, to], columns: 1, rows: 1, spec: null, count: null };
  /** Go into the last group of a command that `pattern` finds at the start of the words and that ends with them. */
  const within = (pattern: RegExp, start = cell.words[0]): RegExpExecArray | null => {
    pattern.lastIndex = start;
    const found = pattern.exec(source);
    const open = start + (found?.[0].length ?? 0);
    if (!found || source[open] !== "{" || ends[open] !== cell.words[1]) return null;
    cell.words = trimmed(source, open + 1, cell.words[1] - 1);
    return found;
  };
  MULTICOLUMN.lastIndex = from;
  const joined = MULTICOLUMN.exec(source);
  if (joined) {
    const spec = from + joined[0].length;
    const behind = ends[spec] ?? 0;
    const group = behind && skipBlanks(source, behind);
    if (!group || source[group] !== "{" || ends[group] !== to) return null;
    const digits = source.indexOf("{", from) + 1;
    cell.columns = Math.max(1, Number(joined[1]));
    cell.count = [digits, digits + (joined[1] as string).length];
    cell.spec = source.slice(spec + 1, behind - 1);
    cell.words = trimmed(source, group + 1, to - 1);
  } else if (/\\multicolumn(?![A-Za-z@])/.test(source.slice(from, to))) {
    return null;
  }
  const rows = within(MULTIROW);
  if (rows) cell.rows = Math.max(1, Number(rows[1]));
  if (!within(STACKED)) {
    BOXED.lastIndex = cell.words[0];
    if (BOXED.test(source) && ends[cell.words[0]] === cell.words[1]) {
      cell.words = trimmed(source, BOXED.lastIndex, cell.words[1] - BOX_END.length);
    }
  }
  return cell;
}

function trimmed(source: string, from: number, to: number): [number, number] {
  const inside = source.slice(from, to);
  const begin = from + inside.length - inside.trimStart().length;
  return [begin, Math.max(begin, from + inside.trimEnd().length)];
}
