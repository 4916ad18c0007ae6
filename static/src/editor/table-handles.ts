import type { Editor } from "@tiptap/core";
import { TextSelection } from "@tiptap/pm/state";
import { el, icon } from "../cite-dialog/render";
import { openMenu } from "./menu";
import { changeTable, type TableCommand } from "./table-commands";

/** The handles of a table: buttons at the row and the column under the pointer, and for one more of each at the end. */
export interface Handles {
  parts: HTMLElement[];
  owns(target: EventTarget | null): boolean;
}

/**
 * Create the handles of the table in `body`. They are for the pointer only; by keyboard, Tab adds a row and the table's
 * menu is in the toolbar.
 */
export function tableHandles(editor: Editor, block: HTMLElement, body: HTMLElement): Handles {
  const button = (name: string, words: string, sign: string): HTMLElement =>
    el(
      "button",
      { type: "button", class: `table-handle ${name}`, tabindex: "-1", "aria-label": words, title: words },
      icon(sign),
    );
  const row = button("of-row", "Change this row", "more");
  const column = button("of-column", "Change this column", "more");
  const below = button("row-more", "Add a row at the end", "plus");
  const beside = button("column-more", "Add a column at the end", "plus");
  const parts = [row, column, below, beside];
  for (const part of parts) part.contentEditable = "false";
  let cell: Element | null = null;

  block.addEventListener("pointerover", (event) => {
    const over = (event.target as Element).closest?.("td, th") ?? null;
    if (!over || over === cell || !body.contains(over)) return;
    cell = over;
    const [at, of, table] = [over.getBoundingClientRect(), block.getBoundingClientRect(), tableBox(body)];
    row.style.top = `${at.top - of.top + at.height / 2}px`;
    column.style.top = `${table.top - of.top}px`;
    below.style.top = `${table.bottom - of.top}px`;
    beside.style.left = `${Math.min(table.right, of.right) - of.left}px`;
    column.style.left = `${Math.min(Math.max(at.left - of.left + at.width / 2, 0), of.width)}px`;
  });
  /** Put the caret into a cell, as a click there would. */
  const select = (into: Element | null): boolean => {
    if (!into?.isConnected || !editor.isEditable) return false;
    const at = editor.view.posAtDOM(into, 0);
    editor.view.dispatch(editor.state.tr.setSelection(TextSelection.create(editor.state.doc, at)));
    editor.view.focus();
    return true;
  };
  for (const part of [row, column])
    part.addEventListener("click", () => {
      const menu = document.getElementById("table-menu");
      if (select(cell) && menu) openMenu(part, menu);
    });
  const atEnd = (part: HTMLElement, find: () => Element | null, command: TableCommand): void =>
    part.addEventListener("click", () => {
      if (select(find())) changeTable(editor, command);
    });
  atEnd(below, () => body.lastElementChild?.lastElementChild ?? null, "rowAfter");
  atEnd(beside, () => body.firstElementChild?.lastElementChild ?? null, "columnAfter");
  return { parts, owns: (target) => parts.some((part) => part.contains(target as Node)) };
}

function tableBox(body: HTMLElement): DOMRect {
  return (body.parentElement ?? body).getBoundingClientRect();
}
