import { skipBlanks } from "./blocks";
import { unitsOf } from "./inline";
import { structure } from "./structure";

/** The notes under a table: the range of their words, and that of all that makes them notes. */
export interface Notes {
  words: [number, number];
  start: number;
  end: number;
}

const SMALL = "(?:footnotesize|small|scriptsize|tiny|normalsize)";
const SPACE = "(?:par|smallskip|medskip|bigskip|noindent|raggedright|centering|justifying|vspace\\*?\\{[^{}]*\\})";
const LEAD = new RegExp(`(?:\\\\${SPACE}(?![A-Za-z@])\\s*)*(?:\\\\${SMALL}(?![A-Za-z@])[ \\t\\r\\n]*)?`, "y");
const IS_SMALL = new RegExp(
  `\\\\${SMALL}|\\\\par\\b|\\\\(?:small|med|big)skip|\\\\vspace|\\\\noindent|\\\\raggedright`,
);
const GROUP = new RegExp(`\\{\\s*(?:\\\\${SPACE}(?![A-Za-z@])\\s*)*\\\\${SMALL}(?![A-Za-z@])\\s*`, "y");
const GROUP_END = /(?:\\par(?![A-Za-z@])\s*)?\}$/;
const ENVIRONMENT = /\\begin\{(tablenotes|flushleft|minipage)\}(?:\[[^\]]*\])?/y;
const WIDTH = /(?:\[[^\]]*\])?\{[^{}]*\}/y;

/**
 * Read the notes from `at` to `finish`: a paragraph of words after commands for space and small type, in a group or in
 * an environment such as `tablenotes`. null when something else stands there.
 */
export function notesAt(source: string, at: number, finish: number, ends: Int32Array): Notes | null {
  LEAD.lastIndex = at;
  const lead = LEAD.exec(source)?.[0] ?? "";
  const from = at + lead.length;
  const group = groupAt(source, from, ends) ?? environmentAt(source, from, ends);
  if (group && skipBlanks(source, group.end) >= finish) return isFilled(source, group) ? { ...group, start: at } : null;
  const end = from + source.slice(from, finish).trimEnd().length;
  const isNote = lead ? IS_SMALL.test(lead) : !source.startsWith("\\", from);
  const notes: Notes = { words: [from, end], start: at, end };
  return isNote && isFilled(source, notes) ? notes : null;
}

/** Read `{\footnotesize words\par}` at `at`. */
export function groupAt(source: string, at: number, ends: Int32Array): Notes | null {
  const end = source[at] === "{" ? (ends[at] ?? 0) : 0;
  GROUP.lastIndex = at;
  const bare = at + 1;
  const from = end ? (GROUP.test(source) ? GROUP.lastIndex : bare) : 0;
  if (!from || from >= end) return null;
  const closing = GROUP_END.exec(source.slice(Math.max(from, end - 60), end))?.[0].length ?? 1;
  return { words: trimmed(source, from, end - closing), start: at, end };
}

function environmentAt(source: string, at: number, ends: Int32Array): Notes | null {
  ENVIRONMENT.lastIndex = at;
  const found = ENVIRONMENT.exec(source);
  const end = ends[at] ?? 0;
  if (!found || !end) return null;
  let from = ENVIRONMENT.lastIndex;
  WIDTH.lastIndex = from;
  if (found[1] === "minipage") {
    if (!WIDTH.test(source)) return null;
    from = WIDTH.lastIndex;
  }
  LEAD.lastIndex = from = skipBlanks(source, from);
  from += LEAD.exec(source)?.[0].length ?? 0;
  const words = trimmed(source, from, end - `\\end{${found[1]}}`.length);
  return found[1] === "tablenotes" && !source.startsWith("\\item", words[0]) ? null : { words, start: at, end };
}

function isFilled(source: string, { words }: Notes): boolean {
  return areNotes(source.slice(...words));
}

/** Tell whether LaTeX can stand as the notes under a table: words of one paragraph, with balanced braces. */
export function areNotes(text: string): boolean {
  if (!text.trim() || /\\(?:begin|end|par|label|caption)\b|(?<!\\)%|(?<!\\)(?:\\\\)*\\$/.test(text)) return false;
  return structure(text).faults.length === 0 && unitsOf(text) !== null;
}

const ITEM = /(?:^|\s*)\\item(?![A-Za-z@])\s*/g;

/** Split the notes of `tablenotes` into its items, each with its sign: `\item[a] Lost.` A note without has null. */
export function noteItems(notes: string): { start: string; words: string }[] | null {
  if (!/^\s*\\item(?![A-Za-z@])/.test(notes)) return null;
  const starts = [...notes.matchAll(ITEM)];
  return starts.map((found, index) => {
    const part = notes.slice(found.index, starts[index + 1]?.index);
    const sign = part.startsWith("[", found[0].length) ? part.indexOf("]", found[0].length) + 1 : 0;
    const lead = sign ? sign + (/^\s*/.exec(part.slice(sign))?.[0].length ?? 0) : found[0].length;
    return { start: part.slice(0, lead), words: part.slice(lead) };
  });
}

function trimmed(source: string, from: number, to: number): [number, number] {
  const inside = source.slice(from, to);
  const begin = from + inside.length - inside.trimStart().length;
  return [begin, Math.max(begin, from + inside.trimEnd().length)];
}
