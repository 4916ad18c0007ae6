import { cellContent, cellKey, cellShape } from "./block-keys";
import { placesOf, type Places, columnsOf, rowsOf } from "./cell-places";
import { columnChanges } from "./column-changes";
import type { CellJSON, TableJSON, TableRowJSON } from "./document";
import { matchingPairs } from "./diff";
import { blanksBefore } from "./figures";
import { indentAt, replaceAt, type TextChange } from "./splice";
import type { Row, SourceCell } from "./table-lines";
import type { Table } from "./tables";
import { writeInline } from "./write-inline";

/** Write rows without a source. */
export function freshRows(rows: readonly TableRowJSON[], columns: number, newline: string): string[] {
  return placesOf(rows).map(
    (places) => `${rowLatex(places, columns, (cell) => cellLatex(cell, null, "", newline))} \\\\`,
  );
}

function rowLatex(places: Places, columns: number, write: (cell: CellJSON) => string): string {
  const texts: string[] = [];
  places.forEach((cell, place) => {
    if (cell === null || cell !== places[place - 1]) texts.push(cell ? write(cell) : "");
  });
  for (let missing = columns - places.length; missing > 0; missing--) texts.push("");
  return protectStart(texts.join(" & "));
}

/** Protect the start of a row so that it is not read as an option of the `\\` before it. */
function protectStart(row: string): string {
  return /^[[*]/.test(row) ? `{${row[0]}}${row.slice(1)}` : row;
}

/** A cell as it was read, and where it is in the source. */
interface ReadCell {
  cell: CellJSON;
  place: SourceCell;
}

function cellLatex(cell: CellJSON, was: ReadCell | null, source: string, newline: string): string {
  const before = was ? source.slice(was.place.place[0], was.place.words[0]) : "";
  const words = cellWords(cell, was, source, newline);
  const around = was && aroundWords(cell, was, before);
  if (was && around !== null) return around + words + source.slice(was.place.words[1], was.place.place[1]);
  const [columns, rows, spec] = [columnsOf(cell), rowsOf(cell), cell.attrs?.spec as string | null | undefined];
  const deep = rows > 1 ? `\\multirow{${rows}}{*}{${words}}` : words;
  return columns > 1 || spec != null
    ? `\\multicolumn{${columns}}{${spec ?? String(cell.attrs?.align ?? "l")}}{${deep}}`
    : deep;
}

/** Return the commands before the words of a cell with the numbers of its columns and rows; null for other commands. */
function aroundWords(cell: CellJSON, { cell: old }: ReadCell, before: string): string | null {
  if (cellShape(cell) === cellShape(old)) return before;
  const isJoined = (one: CellJSON): boolean => columnsOf(one) > 1 || one.attrs?.spec != null;
  const alike =
    (old.attrs?.spec ?? null) === (cell.attrs?.spec ?? null) &&
    isJoined(old) === isJoined(cell) &&
    rowsOf(old) > 1 === rowsOf(cell) > 1;
  if (!alike) return null;
  return before
    .replace(/(\\multicolumn\s*\{)\d+/, `$1${columnsOf(cell)}`)
    .replace(/(\\multirow(?:\[[^\]]*\])?\s*\{)\d+/, `$1${rowsOf(cell)}`);
}

const STACKS_LINES = /\\(?:makecell|thead|shortstack)\b/;

function cellWords(cell: CellJSON, was: ReadCell | null, source: string, newline: string): string {
  const before = was ? source.slice(was.place.place[0], was.place.words[0]) : "";
  const words = was ? source.slice(...was.place.words) : null;
  const content = cellContent(cell);
  const written = writeInline(content, words, newline);
  // \\ would end the row
  if (content.some(({ type }) => type === "hardBreak") && !STACKS_LINES.test(before))
    return `\\shortstack[${String(cell.attrs?.align ?? "l")}]{${written}}`;
  return before || !was || /^[[*]/.test(words ?? "") ? written : protectStart(written);
}

/** Return the changes of the rows of a table. The rows of a longtable's repeated head follow those that are shown. */
export function rowChanges(
  node: TableJSON,
  source: string,
  table: Table,
  columns: number,
  newline: string,
): TextChange[] {
  const changes: TextChange[] = [];
  const places = placesOf(node.content);
  const mirrors = repeatedRows(source, table);
  const before = table.rows;
  const add = (row: Row | undefined, made: TextChange[]): void => {
    changes.push(...made);
    for (const other of row ? (mirrors.get(row) ?? []) : []) {
      const by = other.start - (row as Row).start;
      changes.push(...made.map(({ from, to, text }) => ({ from: from + by, to: to + by, text })));
    }
  };
  const old = table.node.content.map(rowKey);
  const now = node.content.map(rowKey);
  const pairs = [...matchingPairs(old, now), [before.length, now.length] as [number, number]];
  let [was, is] = [0, 0];
  for (const [nextOld, nextNew] of pairs) {
    for (; was < nextOld && is < nextNew; was++, is++)
      add(before[was], rowChange(node, is, places[is] as Places, table, was, source, columns, newline));
    for (; was < nextOld; was++) add(before[was], [deletion(source, before[was] as Row)]);
    let added = "";
    const beside = before[Math.min(was, before.length - 1)] as Row; // the row after the inserted ones
    const behind = was > 0 ? (before[was - 1] as Row) : null;
    const indent = is < nextNew ? indentAt(source, (behind ?? beside).start) : "";
    for (; is < nextNew; is++) {
      const row = rowLatex(places[is] as Places, columns, (cell) => cellLatex(cell, null, source, newline));
      added += behind ? `${newline}${indent}${row} \\\\` : `${row} \\\\${newline}${indent}`;
    }
    if (added) {
      // the last row may have no \\
      const open =
        behind && !/(?:\\\\\*?(?:\[[^\]]*\])?|\\tabularnewline)$/.test(source.slice(behind.start, behind.end));
      const at = behind?.end ?? beside.start;
      add(behind ?? beside, [{ from: at, to: at, text: (open ? " \\\\" : "") + added }]);
    }
    [was, is] = [nextOld + 1, nextNew + 1];
  }
  const repeated = new Set([...mirrors.values()].flat());
  return [...changes, ...columnChanges(node, source, table, columns, repeated)];
}

function rowKey(row: TableRowJSON): string {
  return row.content.map(cellKey).join("\u0004");
}

/** Find the rows of the repeated head of a longtable that equal those of its first head. */
function repeatedRows(source: string, { lines, rows }: Table): Map<Row, Row[]> {
  const first = rows.filter(({ part }) => part === "firsthead");
  const repeated = lines.filter((line): line is Row => line.rule === null && line.part === "head");
  const text = (row: Row): string => source.slice(row.start, row.end);
  return new Map(
    (first.length ? matchingPairs(first.map(text), repeated.map(text)) : []).map(([one, other]) => [
      first[one] as Row,
      [repeated[other] as Row],
    ]),
  );
}

/** Delete a row with the line end before it, unless that ends a comment. */
function deletion(source: string, row: Row): TextChange {
  const blanks = blanksBefore(source, row.start);
  const line = /[^\r\n]*$/.exec(source.slice(Math.max(0, row.start - blanks - 500), row.start - blanks))?.[0] ?? "";
  return { from: row.start - (line.includes("%") ? 0 : blanks), to: row.end, text: "" };
}

function rowChange(
  node: TableJSON,
  index: number,
  places: Places,
  table: Table,
  was: number,
  source: string,
  columns: number,
  newline: string,
): TextChange[] {
  const row = node.content[index] as TableRowJSON;
  const old = table.node.content[was] as TableRowJSON;
  const cells = table.cells[was] as (SourceCell | null)[];
  const read = (at: number): ReadCell | null => {
    const place = cells[at];
    return place ? { cell: old.content[at] as CellJSON, place } : null;
  };
  const [first, last] = [(table.rows[was] as Row).cells[0], (table.rows[was] as Row).cells.at(-1)];
  const alike =
    row.content.length === old.content.length &&
    row.content.every((cell, at) => cellShape(cell) === cellShape(old.content[at] as CellJSON));
  const filled = row.content.findLastIndex((cell, at) => cells[at] === null && cellContent(cell).length > 0);
  if (alike && filled < 0) {
    return row.content.flatMap((cell, at) => {
      const one = read(at);
      if (!one || cellKey(cell) === cellKey(one.cell)) return [];
      return replaceAt(source, one.place.words, cellWords(cell, one, source, newline));
    });
  }
  const pairs = new Map(
    matchingPairs(old.content.map(cellKey), row.content.map(cellKey)).map(([one, other]) => [other, one]),
  );
  const text = rowLatex(places, columns, (cell) => {
    const at = row.content.indexOf(cell);
    const same = pairs.get(at) ?? (row.content.length === old.content.length ? at : -1);
    return cellLatex(cell, read(same), source, newline);
  });
  return [{ from: (first as SourceCell).place[0], to: (last as SourceCell).place[1], text }];
}
