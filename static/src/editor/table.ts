import { Table, TableCell, TableHeader, TableRow } from "@tiptap/extension-table";
import type { Attribute, Editor } from "@tiptap/core";
import { el } from "../cite-dialog/render";
import { changeAttributes, unrendered, sheetPlace } from "./inline-chips";
import { sourceAttributes } from "./blocks";
import { areNotes } from "../latex/table-notes";
import { openSheet } from "./popover";

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
  addAttributes: () => ({ ...sourceAttributes, ...unrendered(TABLE) }),
  renderHTML: () => ["table", ["tbody", 0]],
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const caption = el("button", { type: "button", class: "table-caption", contenteditable: "false" });
      const body = document.createElement("tbody");
      const table = el("table", { class: "booktabs" }, body);
      const notes = el("p", { class: "table-notes", contenteditable: "false" });
      const dom = el("div", { class: "table-block" }, caption, el("div", { class: "table-wide" }, table), notes);
      let current = node;
      const draw = (): void => {
        const words = current.attrs.caption === null ? "" : captionText(String(current.attrs.caption));
        caption.replaceChildren(...(words ? [words] : [el("span", { class: "faint" }, "Add a caption")]));
        notes.textContent = current.attrs.notes ? captionText(String(current.attrs.notes)) : "";
        notes.hidden = !current.attrs.notes;
        dom.toggleAttribute("data-floating", current.attrs.floating !== false);
      };
      draw();
      for (const part of [caption, notes])
        part.addEventListener("click", () => {
          const at = getPos();
          if (at !== undefined) openCaption(editor, at, part);
        });
      return {
        dom,
        contentDOM: body,
        update(next) {
          if (next.type !== current.type) return false;
          const same = (["caption", "notes", "floating"] as const).every(
            (name) => next.attrs[name] === current.attrs[name],
          );
          current = next;
          if (!same) draw();
          return true;
        },
        stopEvent: (event) => caption.contains(event.target as Element) || notes.contains(event.target as Element),
        ignoreMutation: (mutation) =>
          mutation.type !== "selection" &&
          (!body.contains(mutation.target) || (mutation.target === body && mutation.type === "attributes")),
      };
    },
});

/** The table extensions of the visual editor. */
export const table = [
  TableNode,
  TableRow.extend({ content: "(tableCell | tableHeader)+" }),
  TableHeader.extend({ content: "inline*", addAttributes: cellAttributes }),
  TableCell.extend({ content: "inline*", addAttributes: cellAttributes }),
];

function openCaption(editor: Editor, at: number, anchor: Element): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "table" || !editor.isEditable) return;
  openSheet(anchor, sheetPlace(editor), {
    title: "Table",
    fields: [
      { name: "caption", label: "Caption, as LaTeX", value: String(node.attrs.caption ?? ""), long: true },
      {
        name: "label",
        label: "Label",
        value: String(node.attrs.label ?? ""),
        hint: "The name for \\ref, such as tab:deaths.",
      },
      {
        name: "colspec",
        label: "Columns",
        value: String(node.attrs.colspec ?? ""),
        hint: "l left, c centred, r right, one letter for each column.",
      },
      ...(node.attrs.floating === false
        ? []
        : [
            {
              name: "notes",
              label: "Notes under the table, as LaTeX",
              value: String(node.attrs.notes ?? ""),
              long: true,
            },
          ]),
    ],
    onChange: (values) =>
      changeAttributes(editor, at, "table", (attrs) => ({
        caption: values.caption?.trim() ? values.caption.replace(/(\r?\n[ \t]*){2,}/g, "\n") : null,
        label: (values.label ?? "").replace(/[{}\\%#\s]/g, "") || null,
        colspec: values.colspec?.trim() || null,
        notes: typedNotes(values.notes) ?? (attrs.notes as string | null),
        floating: attrs.floating || !!values.caption?.trim(),
      })),
    onClose: (byKey) => byKey && editor.view.focus(),
  });
}

/** Convert typed notes to LaTeX that can stand under a table; "" for none, undefined for what would break it. */
function typedNotes(typed = ""): string | undefined {
  const latex = typed
    .trim()
    .replace(/(\r?\n[ \t]*){2,}/g, "\n")
    .replace(/(?<!\\)%/g, "\\%");
  return !latex || areNotes(latex) ? latex : undefined;
}

/** Convert a LaTeX caption to plain text. */
export function captionText(latex: string): string {
  return latex
    .replace(/\\label\{[^{}]*\}/g, "")
    .replace(/\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}/gi, "[$1]")
    .replace(/\\(?:[A-Za-z]+)\*?(?=[{\s]|$)/g, "")
    .replace(/\\([%&#$_{}])/g, "$1")
    .replace(/[{}]/g, "")
    .replace(/---/g, "—")
    .replace(/--/g, "–")
    .replace(/~/g, "\u00a0")
    .replace(/\s+/g, " ")
    .trim();
}
