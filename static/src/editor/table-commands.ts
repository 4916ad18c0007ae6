import type { Editor } from "@tiptap/core";
import type { Transaction } from "@tiptap/pm/state";
import { addColumn, addRow, isInTable, removeColumn, removeRow, selectedRect, TableMap } from "@tiptap/pm/tables";
import { alignments, withColumn, withoutColumn } from "../latex/column-spec";
import type { ToolbarAction } from "./view";

/** A change of the table at the caret. */
export type TableCommand = Extract<
  ToolbarAction,
  "rowBefore" | "rowAfter" | "rowGone" | "columnBefore" | "columnAfter" | "columnGone" | "tableGone"
>;

const COMMANDS = new Set<ToolbarAction>([
  "rowBefore",
  "rowAfter",
  "rowGone",
  "columnBefore",
  "columnAfter",
  "columnGone",
  "tableGone",
]);

/** Tell whether an action of the toolbar changes a table. */
export function isTableCommand(act: ToolbarAction): act is TableCommand {
  return COMMANDS.has(act);
}

/** Tell whether a command is possible at the caret: the last row and the last column stay. */
export function canChangeTable(editor: Editor, command: TableCommand): boolean {
  if (!isInTable(editor.state)) return false;
  const { left, right, top, bottom, map } = selectedRect(editor.state);
  if (command === "rowGone") return bottom - top < map.height;
  return command !== "columnGone" || right - left < map.width;
}

/** Run a command on the table at the caret. The column specification of the LaTeX changes with its columns. */
export function changeTable(editor: Editor, command: TableCommand): void {
  if (!canChangeTable(editor, command)) return;
  const { state, view } = editor;
  const rect = selectedRect(state);
  const { tr } = state;
  const tableAt = rect.tableStart - 1;
  const again = (): void => {
    rect.table = tr.doc.nodeAt(tableAt)!;
    rect.map = TableMap.get(rect.table);
  };
  const colspec = String(rect.table.attrs.colspec ?? "l".repeat(rect.map.width));
  switch (command) {
    case "rowBefore":
    case "rowAfter": {
      const row = command === "rowBefore" ? rect.top : rect.bottom;
      addRow(tr, rect, row);
      alignRows(tr, tableAt, colspec, row, row + 1);
      break;
    }
    case "columnBefore":
    case "columnAfter": {
      const column = command === "columnBefore" ? rect.left : rect.right;
      addColumn(tr, rect, column);
      tr.setNodeAttribute(tableAt, "colspec", withColumn(colspec, column));
      break;
    }
    case "rowGone":
      for (let row = rect.bottom - 1; row >= rect.top; row--, again()) removeRow(tr, rect, row);
      break;
    case "columnGone": {
      let left = colspec;
      for (let column = rect.right - 1; column >= rect.left; column--, again()) {
        removeColumn(tr, rect, column);
        left = withoutColumn(left, column);
      }
      tr.setNodeAttribute(tableAt, "colspec", left);
      break;
    }
    case "tableGone":
      tr.delete(tableAt, tableAt + rect.table.nodeSize);
  }
  view.dispatch(tr.scrollIntoView());
}

/** Align the cells in these rows (all without numbers) as the column specification says. */
export function alignRows(tr: Transaction, tableAt: number, colspec: string, from = 0, to = Infinity): void {
  const table = tr.doc.nodeAt(tableAt)!;
  const map = TableMap.get(table);
  const sides = alignments(colspec);
  for (let row = from; row < Math.min(to, map.height); row++)
    for (let column = 0; column < map.width; column++) {
      const at = map.map[row * map.width + column]!;
      const cell = table.nodeAt(at)!;
      const side = sides[column] === "l" ? null : (sides[column] ?? null);
      if (map.findCell(at).left === column && cell.attrs.spec === null && cell.attrs.align !== side)
        tr.setNodeAttribute(tableAt + 1 + at, "align", side);
    }
}

/** Go to the next cell; in the last one, add a row. */
export function tabToNextCell(editor: Editor): boolean {
  if (editor.commands.goToNextCell()) return true;
  if (!isInTable(editor.state)) return false;
  changeTable(editor, "rowAfter");
  return editor.commands.goToNextCell();
}

/** Insert a table of this size at the caret, with its head, and put the caret into its first cell. */
export function insertTable(editor: Editor, rows: number, cols: number): void {
  editor.view.focus(); // at once, as in runAction
  editor.commands.insertTable({ rows, cols, withHeaderRow: rows > 1 });
}
