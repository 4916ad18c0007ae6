import { cellKey } from "./block-keys";
import type { TableJSON } from "./document";
import { placesOf, type Places } from "./cell-places";
import { matchingPairs } from "./diff";
import { blanksBefore } from "./figures";
import type { TextChange } from "./splice";
import type { Line, Row, SourceCell } from "./table-lines";
import type { Table } from "./tables";

const RANGE = /(\d+)\s*-\s*(\d+)\s*\}$/;

/**
 * When columns were added or removed, return the changes of what is not shown: rules under some columns, and the rows
 * of a longtable's repeated head and foot, except those that were changed already.
 */
export function columnChanges(
  node: TableJSON,
  source: string,
  table: Table,
  columns: number,
  changed: ReadonlySet<Row>,
): TextChange[] {
  const before = placesOf(table.node.content);
  const had = Math.max(...before.map((places) => places.length));
  if (had === columns) return [];
  const map = columnMap(before, placesOf(node.content), had, columns);
  return table.lines.flatMap((line) => {
    if (line.rule === "cmidrule" || line.rule === "cline") return ruleChange(source, line, map);
    if (line.rule !== null || table.rows.includes(line) || changed.has(line)) return [];
    return hiddenRowChange(line, had, columns);
  });
}

/** Return where each old column is now, counted from 0; null for a removed one. */
function columnMap(before: readonly Places[], after: readonly Places[], had: number, has: number): (number | null)[] {
  const rows = Math.min(before.length, after.length);
  const keys = (places: readonly Places[], count: number): string[] =>
    Array.from({ length: count }, (_, column) =>
      places
        .slice(0, rows)
        .map((row) => (row[column] ? cellKey(row[column]) : ""))
        .join("\u0004"),
    );
  const map = new Array<number | null>(had).fill(null);
  let [was, is] = [0, 0];
  for (const [one, other] of [...matchingPairs(keys(before, had), keys(after, has)), [had, has] as [number, number]]) {
    while (was < one && is < other) map[was++] = is++;
    if (one < had) map[one] = other;
    [was, is] = [one + 1, other + 1];
  }
  return map;
}

function ruleChange(source: string, line: Line, map: readonly (number | null)[]): TextChange[] {
  const text = source.slice(line.start, line.end);
  const found = RANGE.exec(text);
  if (!found) return [];
  const under = map.slice(Number(found[1]) - 1, Number(found[2])).filter((column) => column !== null);
  if (!under.length) return [{ from: line.start - blanksBefore(source, line.start), to: line.end, text: "" }];
  const range = `${under[0]! + 1}-${under[under.length - 1]! + 1}}`;
  return [{ from: line.start + found.index, to: line.end, text: range }];
}

/** Fit a hidden row: a cell over all columns takes them all again, other rows get or lose cells at their end. */
function hiddenRowChange(row: Row, had: number, has: number): TextChange[] {
  const [only] = row.cells;
  const last = row.cells[row.cells.length - 1] as SourceCell;
  if (row.cells.length === 1 && only?.count && only.columns >= had)
    return [{ from: only.count[0], to: only.count[1], text: String(has) }];
  const wide = row.cells.reduce((sum, cell) => sum + cell.columns, 0);
  if (wide <= has)
    return wide < had ? [] : [{ from: last.place[1], to: last.place[1], text: " & ".repeat(has - wide) }];
  let left = wide;
  const kept = row.cells.findLastIndex(
    (cell) => (left -= cell.columns) < has && left >= 0 && left + cell.columns <= has,
  );
  const end = row.cells[kept]?.place[1];
  return end === undefined ? [] : [{ from: end, to: last.place[1], text: "" }];
}
