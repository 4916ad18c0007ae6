import { Table, TableCell, TableHeader, TableRow } from "@tiptap/extension-table";
import type { Attribute, Editor } from "@tiptap/core";
import type { Node as TextNode } from "@tiptap/pm/model";
import { TableMap } from "@tiptap/pm/tables";
import { el } from "../cite-dialog/render";
import { changeAttributes, unrendered, sheetPlace } from "./inline-chips";
import { sourceAttributes } from "./blocks";
import { areNotes, noteItems } from "../latex/table-notes";
import { plainWords } from "./plain-words";
import { setWords } from "./typeset-words";
import { openSheet, type Field } from "./popover";
import { alignRows, tabToNextCell } from "./table-commands";
import { tableHandles } from "./table-handles";
import { wordsField } from "./words-field";

const MANY_ROWS = 30; // on one page

const TABLE = {
  caption: null as string | null,
  label: null as string | null,
  colspec: null as string | null,
  placement: null as string | null,
  floating: null as boolean | null,
  notes: null as string | null,
  env: null as string | null,
};

/** The attributes of cells (latex/document.ts), which stay with what is copied. */
function cellAttributes(): Record<string, Attribute> {
  const span = (name: string): Attribute => ({
    default: 1,
    parseHTML: (dom) => Math.min(60, Math.max(1, Number(dom.getAttribute(name)) || 1)),
    renderHTML: (attrs) => (attrs[name] > 1 ? { [name]: attrs[name] } : {}),
  });
  return {
    colspan: span("colspan"),
    rowspan: span("rowspan"),
    colwidth: { default: null, rendered: false },
    spec: { default: null, rendered: false },
    align: {
      default: null,
      parseHTML: (dom) => (/^[cr]$/.test(dom.dataset.align ?? "") ? dom.dataset.align : null),
      renderHTML: ({ align }) => (align ? { "data-align": align } : {}),
    },
  };
}

/** The table node, shown as in print: rules above, below and under the head, columns aligned as in the LaTeX. */
const TableNode = Table.extend({
  addAttributes: () => ({
    ...sourceAttributes,
    ...unrendered(TABLE),
    env: {
      default: null,
      rendered: false,
      // a pasted table that fits no page
      parseHTML: (dom) => (dom.querySelectorAll("tr").length > MANY_ROWS ? "longtable" : null),
    },
  }),
  renderHTML: () => ["table", ["tbody", 0]],
  addKeyboardShortcuts() {
    return { ...this.parent?.(), Tab: () => tabToNextCell(this.editor) };
  },
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const caption = el("button", { type: "button", class: "table-caption", contenteditable: "false" });
      const body = document.createElement("tbody");
      const columns = document.createElement("colgroup");
      const table = el("table", { class: "booktabs" }, columns, body);
      const notes = el("button", { type: "button", class: "table-notes", contenteditable: "false" });
      const dom = el("div", { class: "table-block" });
      const handles = tableHandles(editor, dom, body);
      dom.append(caption, el("div", { class: "table-wide" }, table), notes, ...handles.parts);
      let current = node;
      const draw = (): void => {
        const { caption: title, notes: below, floating } = current.attrs;
        drawWords(caption, title === null ? "" : String(title), "Add a caption");
        drawNotes(notes, below === null ? "" : String(below));
        dom.toggleAttribute("data-floating", floating !== false);
      };
      draw();
      setWidths(table, columns, node);
      for (const [part, field] of [
        [caption, "caption"],
        [notes, "notes"],
      ] as const)
        part.addEventListener("click", () => {
          const at = getPos();
          if (at !== undefined) openTable(editor, at, part, field);
        });
      const isPart = (target: EventTarget | null): boolean =>
        caption.contains(target as Node) || notes.contains(target as Node) || handles.owns(target);
      return {
        dom,
        contentDOM: body,
        update(next) {
          if (next.type !== current.type) return false;
          const same = (["caption", "notes", "floating"] as const).every(
            (name) => next.attrs[name] === current.attrs[name],
          );
          if (next.childCount !== current.childCount || next.firstChild?.childCount !== current.firstChild?.childCount)
            setWidths(table, columns, next);
          current = next;
          if (!same) draw();
          return true;
        },
        stopEvent: (event) => isPart(event.target),
        ignoreMutation: (mutation) =>
          mutation.type !== "selection" &&
          (!body.contains(mutation.target) || (mutation.target === body && mutation.type === "attributes")),
      };
    },
});

const [NARROWEST, WIDEST] = [4, 40]; // characters

/**
 * Set the widths of the columns of a long table by its longest words, so that the browser does not measure every cell
 * again at each key press. A short table is measured by the browser.
 */
function setWidths(table: HTMLElement, columns: HTMLElement, node: TextNode): void {
  const isLong = node.childCount > MANY_ROWS;
  table.classList.toggle("is-long", isLong);
  columns.replaceChildren();
  table.style.minWidth = "";
  if (!isLong) return;
  const widths: number[] = new Array(TableMap.get(node).width).fill(NARROWEST);
  node.forEach((row) => {
    if (row.childCount !== widths.length) return; // with joined cells
    row.forEach((cell, _, column) => {
      widths[column] = Math.min(WIDEST, Math.max(widths[column]!, cell.content.size));
    });
  });
  const whole = widths.reduce((sum, width) => sum + width + 2, 0);
  for (const width of widths) {
    const column = document.createElement("col");
    column.style.width = `${((width + 2) / whole) * 100}%`;
    columns.append(column);
  }
  table.style.minWidth = `${Math.min(60, whole * 0.45)}em`;
}

function drawWords(into: HTMLElement, latex: string, empty: string): void {
  into.replaceChildren(...(plainWords(latex) ? setWords(latex) : [el("span", { class: "faint" }, empty)]));
}

/** Draw the notes: each item of a list of notes on a line of its own, with its sign. */
function drawNotes(into: HTMLElement, latex: string): void {
  const items = noteItems(latex);
  if (!items) return drawWords(into, latex, "Add notes");
  into.replaceChildren(
    ...items.map(({ start, words }) => {
      const sign = /\[(.*)\]/s.exec(start)?.[1];
      return el("span", { class: "note" }, ...(sign ? [el("sup", {}, plainWords(sign))] : []), ...setWords(words));
    }),
  );
}

/** The table extensions of the visual editor. */
export const table = [
  TableNode,
  TableRow.extend({ content: "(tableCell | tableHeader)+" }),
  TableHeader.extend({ content: "inline*", addAttributes: cellAttributes }),
  TableCell.extend({ content: "inline*", addAttributes: cellAttributes }),
];

/** Open the settings of the table at `at`, with the caret in its caption or its notes. */
function openTable(editor: Editor, at: number, anchor: Element, first: "caption" | "notes"): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "table" || !editor.isEditable) return;
  const { caption, label, colspec, notes, floating } = node.attrs as typeof TABLE;
  const words: Field = { name: "caption", label: "Caption", value: caption ?? "", control: wordsField };
  const below = floating === false ? [] : notesFields(notes ?? "");
  openSheet(anchor, sheetPlace(editor), {
    title: "Table",
    fields: [
      ...(first === "notes" ? [...below, words] : [words, ...below]),
      { name: "label", label: "Label", value: label ?? "", hint: "The name that references use, such as tab:deaths." },
      {
        name: "colspec",
        label: "Columns",
        value: colspec ?? "",
        hint: "l left, c centred, r right, one letter for each column.",
      },
    ],
    onChange: (values) => {
      changeAttributes(editor, at, "table", (attrs) => ({
        caption: values.caption?.trim() ? oneParagraph(values.caption) : null,
        label: (values.label ?? "").replace(/[{}\\%#\s]/g, "") || null,
        colspec: values.colspec?.trim() || null,
        notes: typedNotes(notes ?? "", values) ?? (attrs.notes as string | null),
        floating: attrs.floating || !!values.caption?.trim(),
      }));
      const { tr } = editor.state;
      alignRows(tr, at, values.colspec ?? "");
      if (tr.docChanged) editor.view.dispatch(tr);
    },
    onClose: (byKey) => byKey && editor.view.focus(),
  });
}

/** Return a field for the notes, or one for each item of a list of notes. */
function notesFields(notes: string): Field[] {
  const items = noteItems(notes);
  if (!items) return [{ name: "notes", label: "Notes under the table", value: notes, control: wordsField }];
  return items.map(({ start, words }, at) => {
    const sign = plainWords(/\[(.*)\]/s.exec(start)?.[1] ?? "");
    return { name: `note-${at}`, label: sign ? `Note ${sign}` : `Note ${at + 1}`, value: words, control: wordsField };
  });
}

/** Convert typed notes to LaTeX that can stand under a table; "" for none, undefined for what would break it. */
function typedNotes(before: string, values: Record<string, string>): string | undefined {
  const items = noteItems(before);
  const typed = items
    ? items.map(({ start }, at) => (values[`note-${at}`]?.trim() ? start + values[`note-${at}`] : "")).join("")
    : (values.notes ?? "");
  const latex = oneParagraph(typed.trim());
  return !latex || areNotes(latex) ? latex : undefined;
}

function oneParagraph(latex: string): string {
  return latex.replace(/(\r?\n[ \t]*){2,}/g, "\n");
}
