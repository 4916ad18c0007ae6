import { skipBlanks } from "./blocks";
import type { TableJSON, TableRowJSON } from "./document";
import { commandAt, openingOf, type Command, type Opening } from "./floats";
import { contentOf, unitsOf } from "./inline";
import { structure, wordEnd } from "./structure";

/** A row or a rule between rows, as ranges in the source. A row ends after its `\\`. */
export type Line = { start: number; end: number } & ({ rule: string } | { rule: null; cells: [number, number][] });

/** A parsed table. */
export interface Table extends Opening {
  caption: Command | null;
  label: Command | null;
  colspec: [number, number];
  /** The range of the notes under the tabular, after the commands that make them small. */
  notes: [number, number] | null;
  /** Where these commands begin, or would: after the last of the tabular, the caption and the label. */
  notesFrom: number;
  tabular: [number, number];
  /** The range of the tabular's lines. */
  body: [number, number];
  lines: Line[];
  node: TableJSON;
}

const RULES = new Set(["toprule", "midrule", "bottomrule", "hline"]);
const FORMATTING = new Set(["centering", "small", "footnotesize", "scriptsize"]);
const UNSUPPORTED =
  /\\(?:multicolumn|multirow|cmidrule|cline|rowcolor|cellcolor|tabularnewline|newline|shortstack|makecell)/;
const TABULAR = "\\begin{tabular}";
/** What Scholium writes before the notes under a table: a new paragraph in smaller type. */
const NOTES = /\\par\s*(?:\\(?:smallskip|medskip)\s*)?\\(?:footnotesize|small|scriptsize)[ \t\r\n]+/y;

/** Parse a table of plain rows; null when it contains anything else, so that it stays a raw block. */
export function readTable(source: string): Table | null {
  const { ends } = structure(source);
  const outer = source.startsWith(TABULAR)
    ? { env: "tabular", placement: null, inside: 0, finish: source.length }
    : openingOf(source, ends);
  if (!["tabular", "table", "table*"].includes(outer.env)) return null;
  const found = new Map<string, Command>();
  let tabular: { start: number; end: number } | null = null;
  let notes: [number, number] | null = null;
  let at = outer.inside;
  let notesFrom = at;
  while ((at = skipBlanks(source, (notesFrom = at))) < outer.finish) {
    if (source[at] !== "\\") return null;
    NOTES.lastIndex = at;
    if (tabular && NOTES.test(source)) {
      notes = notesAt(source, NOTES.lastIndex, outer.finish);
      if (!notes) return null;
      break;
    }
    if (source.startsWith(TABULAR, at)) {
      if (tabular || !ends[at]) return null;
      tabular = { start: at, end: ends[at] ?? 0 };
      at = tabular.end;
      continue;
    }
    const command = commandAt(source, at, ends);
    const named = (command.name === "caption" || command.name === "label") && command.group && !command.option;
    if (found.has(command.name) || !(named || (FORMATTING.has(command.name) && !command.group && !command.option)))
      return null;
    found.set(command.name, command);
    at = command.end;
  }
  if (!tabular) return null;
  const spec = tabular.start + TABULAR.length;
  if (source[spec] !== "{" || !ends[spec]) return null;
  const colspec: [number, number] = [spec + 1, (ends[spec] ?? 0) - 1];
  const body: [number, number] = [ends[spec] ?? 0, tabular.end - "\\end{tabular}".length];
  const lines = UNSUPPORTED.test(source.slice(...body)) ? null : linesOf(source, ...body, ends);
  const columns = columnsIn(source.slice(...colspec));
  const caption = found.get("caption") ?? null;
  const label = found.get("label") ?? null;
  if (!lines || !columns || !lines.some((line) => line.rule === null)) return null;
  if (lines.some((line) => line.rule === null && line.cells.length !== columns)) return null;
  const content = rowsOf(source, lines);
  if (!content) return null;
  const group = (command: Command | null): string | null => (command?.group ? source.slice(...command.group) : null);
  const attrs = {
    caption: group(caption),
    label: group(label),
    colspec: source.slice(...colspec),
    placement: outer.placement && source.slice(...outer.placement),
    floating: outer.env !== "tabular",
    notes: notes && source.slice(...notes),
  };
  const place: [number, number] = [tabular.start, tabular.end];
  return {
    ...outer,
    caption,
    label,
    colspec,
    notes,
    notesFrom,
    tabular: place,
    body,
    lines,
    node: { type: "table", attrs, content },
  };
}

/** Return the range of the notes from `at` on; null when they are not plain text of one paragraph. */
function notesAt(source: string, at: number, finish: number): [number, number] | null {
  const end = at + source.slice(at, finish).trimEnd().length;
  return areNotes(source.slice(at, end)) ? [at, end] : null;
}

/** Tell whether LaTeX can stand as the notes under a table: words of one paragraph, with balanced braces. */
export function areNotes(text: string): boolean {
  if (!text.trim() || /\\(?:begin|end|par|label|caption)\b|(?<!\\)%|(?<!\\)(?:\\\\)*\\$/.test(text)) return false;
  return structure(text).faults.length === 0 && unitsOf(text) !== null;
}

/** Count the columns of a column specification; 0 when it has parts the editor does not support. */
export function columnsIn(colspec: string): number {
  const bare = colspec
    .replace(/\s+|\|/g, "")
    .replace(/@\{[^{}]*\}/g, "")
    .replace(/[<>]\{(?:[^{}]|\{[^{}]*\})*\}/g, "")
    .replace(/[pmb]\{[^{}]*\}/g, "p");
  return /^[lcrpS]+$/.test(bare) ? bare.length : 0;
}

function linesOf(source: string, from: number, to: number, ends: Int32Array): Line[] | null {
  const lines: Line[] = [];
  let at = skipBlanks(source, from);
  while (at < to) {
    const after = source[at] === "\\" ? wordEnd(source, at + 1) : at;
    const name = source.slice(at + 1, after);
    if (RULES.has(name)) {
      if (source[after] === "[" || source[after] === "(") return null;
      lines.push({ start: at, end: after, rule: name });
      at = skipBlanks(source, after);
      continue;
    }
    const row = rowAt(source, at, to, ends);
    if (!row) return null;
    lines.push(row);
    at = skipBlanks(source, row.end);
  }
  return lines;
}

function rowAt(source: string, start: number, to: number, ends: Int32Array): Line | null {
  const cells: [number, number][] = [];
  let at = start;
  let cell = start;
  const close = (): void => {
    const inside = source.slice(cell, at);
    const begin = cell + inside.length - inside.trimStart().length;
    cells.push([begin, Math.max(begin, cell + inside.trimEnd().length)]);
  };
  while (at < to) {
    const code = source.charCodeAt(at);
    const over = code === 91 ? 0 : (ends[at] ?? 0);
    if (code === 37) return null; // a comment
    if (over) {
      at = over;
    } else if (code === 38) {
      close();
      cell = ++at;
    } else if (code === 92 && source[at + 1] === "\\") {
      close();
      let end = at + 2;
      if (source[end] === "*") end++;
      if (source[end] === "[") end = ends[end] || end;
      return { start, end, rule: null, cells };
    } else if (code === 92) {
      const after = wordEnd(source, at + 1);
      if (RULES.has(source.slice(at + 1, after))) return null;
      at = Math.max(after, at + 2);
    } else {
      at++;
    }
  }
  close();
  return { start, end: (cells[cells.length - 1] as [number, number])[1], rule: null, cells };
}

/** Create the rows for the editor. Rows above the first rule between rows are headings. */
function rowsOf(source: string, lines: Line[]): TableRowJSON[] | null {
  const first = lines.findIndex((line) => line.rule === null);
  const rule = lines.findIndex((line, index) => index > first && line.rule !== null);
  const last = lines.findLastIndex((line) => line.rule === null);
  const rows: TableRowJSON[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.rule !== null) continue;
    const type = rule > 0 && rule < last && index < rule ? "tableHeader" : "tableCell";
    const row: TableRowJSON = { type: "tableRow", content: [] };
    for (const place of line.cells) {
      const units = unitsOf(source.slice(...place));
      if (!units) return null;
      row.content.push({ type, content: contentOf(units) });
    }
    rows.push(row);
  }
  return rows;
}
