import type { CellJSON, TableRowJSON } from "./document";

/** A row in the order of its columns: a cell (once per column it takes), or null below one that reaches down. */
export type Places = (CellJSON | null)[];

export const columnsOf = ({ attrs }: CellJSON): number => Math.max(1, Number(attrs?.colspan ?? 1));
export const rowsOf = ({ attrs }: CellJSON): number => Math.max(1, Number(attrs?.rowspan ?? 1));

/** Lay rows out by columns. */
export function placesOf(rows: readonly TableRowJSON[]): Places[] {
  const open: number[] = []; // how many more rows a cell above reaches down, by column
  return rows.map(({ content }) => {
    const places: Places = [];
    const skipCovered = (): void => {
      while ((open[places.length] ?? 0) > 0) {
        (open[places.length] as number)--;
        places.push(null);
      }
    };
    for (const cell of content) {
      skipCovered();
      for (let over = columnsOf(cell); over > 0; over--) {
        open[places.length] = rowsOf(cell) - 1;
        places.push(cell);
      }
    }
    skipCovered();
    return places;
  });
}

/** Count the columns that the widest row takes. */
export function columnsOfRows(rows: readonly TableRowJSON[]): number {
  return Math.max(1, ...placesOf(rows).map((places) => places.length));
}
