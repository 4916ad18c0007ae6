import { cellContent, cellKey } from "./block-keys";
import type { CellJSON, TableJSON, TableRowJSON } from "./document";
import { matchingPairs } from "./diff";
import { blanksBefore, changeOption } from "./figures";
import { replaceAt, applyChanges, type TextChange } from "./splice";
import { columnsIn, readTable, type Line, type Table } from "./tables";
import { writeInline } from "./write-inline";

/** What stands before the notes under a new table. No braces: pandoc would read them as an argument. */
const NOTES = "\\par\\smallskip\\footnotesize ";

type Row = Extract<Line, { rule: null }>;

/** Write a table as LaTeX; unchanged rows and cells, and all rules, stay as they were. */
export function writeTable(node: TableJSON, source: string | null, newline: string): string {
  const table = source === null ? null : readTable(source);
  return source === null || !table ? newTable(node, newline) : rewriteTable(node, source, table, newline);
}

function newTable(node: TableJSON, newline: string): string {
  const { caption, label, colspec, placement, floating, notes } = node.attrs ?? {};
  const columns = Math.max(1, ...node.content.map(({ content }) => content.length));
  const indent = floating === false ? "" : "  ";
  const lines = node.content.map((row) => `${indent}  ${rowLatex(row, columns, newline)}`);
  const headings = node.content.findIndex((row) => row.content.some(({ type }) => type !== "tableHeader"));
  if (headings > 0) lines.splice(headings, 0, `${indent}  \\midrule`);
  const tabular = [
    `${indent}\\begin{tabular}{${fitColumns(colspec || "", columns)}}`,
    `${indent}  \\toprule`,
    ...lines,
    `${indent}  \\bottomrule`,
    `${indent}\\end{tabular}`,
  ];
  if (floating === false) return tabular.join(newline);
  return [
    `\\begin{table}[${placement || "htbp"}]`,
    "  \\centering",
    ...(caption ? [`  \\caption{${caption}}`] : []),
    ...(label ? [`  \\label{${label}}`] : []),
    ...tabular,
    ...(notes ? [`  ${NOTES}${notes}`] : []),
    "\\end{table}",
  ].join(newline);
}

function rowLatex(row: TableRowJSON, columns: number, newline: string): string {
  const cells = row.content.map((cell) => cellLatex(cell, null, newline));
  const wide = row.content.reduce((sum, cell) => sum + Math.max(1, Number(cell.attrs?.colspan ?? 1)), 0);
  for (let missing = columns - wide; missing > 0; missing--) cells.push("");
  return `${protectStart(cells.join(" & "))} \\\\`;
}

/** Protect the start of a row so that it is not read as an option of the `\\` before it. */
function protectStart(row: string): string {
  return /^[[*]/.test(row) ? `{${row[0]}}${row.slice(1)}` : row;
}

function cellLatex(cell: CellJSON, source: string | null, newline: string): string {
  const latex = writeInline(cellContent(cell), source, newline);
  const span = Number(cell.attrs?.colspan ?? 1);
  return span > 1 ? `\\multicolumn{${span}}{l}{${latex}}` : latex;
}

/** Adapt a column specification to `columns` columns: add left-aligned ones or remove the last ones. */
function fitColumns(colspec: string, columns: number): string {
  const has = columnsIn(colspec);
  if (has === columns) return colspec;
  if (has < columns) return colspec + "l".repeat(columns - has);
  const parts =
    colspec.match(
      /(?:>\{(?:[^{}]|\{[^{}]*\})*\}\s*)?(?:[lcrS]|[pmb]\{[^{}]*\})|\||[@<]\{(?:[^{}]|\{[^{}]*\})*\}|\s+/g,
    ) ?? [];
  let left = columns;
  return parts.filter((part) => !/^(?:>|[lcrpmbS])/.test(part) || left-- > 0).join("");
}

function rewriteTable(node: TableJSON, source: string, table: Table, newline: string): string {
  const { caption, label, colspec, placement, notes } = { ...table.node.attrs, ...node.attrs };
  const columns = Math.max(1, ...node.content.map(({ content }) => content.length));
  const changes: TextChange[] = [...replaceAt(source, table.colspec, fitColumns(colspec || "", columns))];
  if (table.env !== "tabular") {
    changes.push(...changeOption(source, table.placement, table.inside, placement));
    const tabular = table.tabular[0];
    changes.push(
      ...changeCommand(source, table.caption, "caption", caption, tabular, newline),
      ...changeCommand(source, table.label, "label", label, tabular, newline),
    );
  }
  changes.push(...rowChanges(node, source, table, columns, newline));
  if (table.env !== "tabular") changes.push(...notesChange(source, table, notes || null, newline));
  return applyChanges(source, changes);
}

function notesChange(source: string, { notes, notesFrom }: Table, text: string | null, newline: string): TextChange[] {
  if (notes && text) return replaceAt(source, notes, text);
  if (notes) return [{ from: notesFrom, to: notes[1], text: "" }];
  return text ? [{ from: notesFrom, to: notesFrom, text: `${newline}  ${NOTES}${text}` }] : [];
}

function changeCommand(
  source: string,
  there: Table["caption"],
  name: string,
  text: string | null | undefined,
  at: number,
  newline: string,
): TextChange[] {
  if (there?.group && text) return replaceAt(source, there.group, text);
  if (there) return [{ from: there.start - blanksBefore(source, there.start), to: there.end, text: "" }];
  return text ? [{ from: at, to: at, text: `\\${name}{${text}}${newline}  ` }] : [];
}

function rowChanges(node: TableJSON, source: string, table: Table, columns: number, newline: string): TextChange[] {
  const before = table.lines.filter((line): line is Row => line.rule === null);
  const old = table.node.content.map((row) => row.content.map(cellKey).join("\u0004"));
  const now = node.content.map((row) => row.content.map(cellKey).join("\u0004"));
  const changes: TextChange[] = [];
  const pairs = [...matchingPairs(old, now), [before.length, now.length] as [number, number]];
  let [was, is] = [0, 0];
  for (const [nextOld, nextNew] of pairs) {
    while (was < nextOld && is < nextNew)
      changes.push(...rowChange(node.content[is++] as TableRowJSON, before[was++] as Row, source, columns, newline));
    for (; was < nextOld; was++) {
      const deleted = before[was] as Row;
      changes.push({ from: deleted.start - blanksBefore(source, deleted.start), to: deleted.end, text: "" });
    }
    let added = "";
    const beside = before[Math.min(was, before.length - 1)] as Row; // the row after the inserted ones
    const behind = was > 0 ? (before[was - 1] as Row) : null;
    const indent = /[\r\n][ \t]*$/.exec(source.slice(0, (behind ?? beside).start))?.[0].replace(/^[\r\n]+/, "") ?? "";
    for (; is < nextNew; is++) {
      const row = rowLatex(node.content[is] as TableRowJSON, columns, newline);
      added += behind ? `${newline}${indent}${row}` : `${row}${newline}${indent}`;
    }
    if (added) {
      // the last row may have no \\
      const open = behind && !source.slice(behind.start, behind.end).match(/\\\\\*?(?:\[[^\]]*\])?$/) ? " \\\\" : "";
      changes.push({ from: behind?.end ?? beside.start, to: behind?.end ?? beside.start, text: open + added });
    }
    [was, is] = [nextOld + 1, nextNew + 1];
  }
  return changes;
}

function rowChange(row: TableRowJSON, was: Row, source: string, columns: number, newline: string): TextChange[] {
  if (row.content.length !== was.cells.length || row.content.some((cell) => Number(cell.attrs?.colspan ?? 1) > 1)) {
    const [first] = was.cells[0] as [number, number];
    const [, last] = was.cells[was.cells.length - 1] as [number, number];
    const texts = row.content.map((cell) => cellLatex(cell, null, newline));
    while (texts.length < columns) texts.push("");
    return [{ from: first, to: last, text: protectStart(texts.join(" & ")) }];
  }
  return row.content.flatMap((cell, index) => {
    const place = was.cells[index] as [number, number];
    const text = cellLatex(cell, source.slice(...place), newline);
    return replaceAt(source, place, index ? text : protectStart(text));
  });
}
