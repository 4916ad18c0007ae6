import { mergeAttributes, Node, type Editor, type NodeViewRenderer } from "@tiptap/core";
import type { Node as TextNode } from "@tiptap/pm/model";
import { NodeSelection } from "@tiptap/pm/state";
import { dropMaths, drawMaths, drawMathsLater } from "./maths";
import { openSheet, type Sheet } from "./popover";

/** What an inline piece of LaTeX needs to be shown as a chip and edited in a sheet. */
interface Chip {
  name: string;
  attributes: Record<string, unknown>;
  selectable?: boolean;
  /** As it stands in LaTeX, for the clipboard's plain text. */
  text(attrs: Record<string, any>): string;
  draw(dom: HTMLElement, attrs: Record<string, any>, opening: boolean): void;
  drop?(dom: HTMLElement): void;
  /** The sheet, without what all share. */
  sheet(attrs: Record<string, any>): Pick<Sheet, "title" | "fields" | "preview">;
  /** Attributes of what was typed in the sheet. */
  changed(values: Record<string, string>, attrs: Record<string, any>): Record<string, unknown>;
}

/** Whether the text is being opened: formulas wait then, and are drawn when there is time. */
export const opening = { now: false };

/** Attributes that are in the document and not in the page; the clipboard has them in `data-atom`. */
export function kept(attributes: Record<string, unknown>): Record<string, { default: unknown; rendered: boolean }> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, { default: value, rendered: false }]),
  );
}

/**
 * Attributes from the clipboard: only those the schema knows, only of the kinds it knows. `source` is never taken over.
 */
export function pasted(attributes: Record<string, unknown>, given: string | null): Record<string, unknown> | false {
  let read: unknown;
  try {
    read = JSON.parse(given ?? "");
  } catch {
    return false;
  }
  if (typeof read !== "object" || read === null) return false;
  const entries = Object.entries(read).filter(([name, value]) => {
    if (!(name in attributes) || ["source", "before", "place"].includes(name)) return false;
    return value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number";
  });
  return { ...attributes, ...Object.fromEntries(entries) };
}

function chip(of: Chip): Node {
  return Node.create({
    name: of.name,
    group: "inline",
    inline: true,
    atom: true,
    selectable: of.selectable ?? true,
    addAttributes: () => kept(of.attributes),
    parseHTML: () => [
      { tag: `span[data-atom="${of.name}"]`, getAttrs: (dom) => pasted(of.attributes, dom.getAttribute("data-attrs")) },
    ],
    renderHTML: ({ node, HTMLAttributes }) => [
      "span",
      mergeAttributes(HTMLAttributes, { "data-atom": of.name, "data-attrs": JSON.stringify(node.attrs) }),
      of.text(node.attrs),
    ],
    renderText: ({ node }) => of.text(node.attrs),
    addNodeView: () => view(of),
  });
}

function view(of: Chip): NodeViewRenderer {
  return ({ node, editor, getPos }) => {
    const dom = document.createElement("span");
    dom.className = of.name;
    let shown = node;
    of.draw(dom, node.attrs, opening.now);
    dom.addEventListener("click", () => {
      const at = getPos();
      if (at !== undefined) openAtom(editor, at);
    });
    return {
      dom,
      update(next) {
        if (next.type !== shown.type) return false;
        if (!next.eq(shown)) of.draw(dom, next.attrs, false);
        shown = next;
        return true;
      },
      ignoreMutation: () => true,
      destroy: () => of.drop?.(dom),
    };
  };
}

const CHIPS: Chip[] = [
  {
    name: "maths",
    attributes: { latex: "", delimiters: "$" },
    text: ({ latex }) => `$${latex}$`,
    draw(dom, { latex }, now) {
      (now ? drawMathsLater : drawMaths)(dom, latex, false);
      dom.title = latex;
    },
    drop: dropMaths,
    sheet: ({ latex }) => ({
      title: "Maths",
      fields: [{ name: "latex", label: "LaTeX of the formula", value: latex, long: true }],
      preview: (into, { latex: typed = "" }) => previewMaths(into, typed, false),
    }),
    changed: ({ latex }) => ({ latex: unbroken(latex) }),
  },
  {
    name: "footnote",
    attributes: { latex: "" },
    text: ({ latex }) => `\\footnote{${latex}}`,
    draw(dom, { latex }) {
      dom.replaceChildren("note");
      dom.title = latex;
    },
    sheet: ({ latex }) => ({
      title: "Footnote",
      fields: [{ name: "latex", label: "Text of the footnote, as LaTeX", value: latex, long: true }],
    }),
    changed: ({ latex }) => ({ latex: unbroken(latex) }),
  },
  {
    name: "ref",
    attributes: { command: "ref", key: "" },
    text: ({ command, key }) => `\\${command}{${key}}`,
    draw(dom, { command, key }) {
      dom.textContent = key;
      dom.title = `\\${command}{${key}}`;
    },
    sheet: ({ key, command }) => ({
      title: "Reference to a label",
      fields: [{ name: "key", label: `Label that \\${command} points to`, value: key }],
    }),
    changed: ({ key }) => ({ key: named(key) }),
  },
  {
    name: "label",
    attributes: { key: "" },
    text: ({ key }) => `\\label{${key}}`,
    draw(dom, { key }) {
      dom.textContent = key;
      dom.title = `\\label{${key}}`;
    },
    sheet: ({ key }) => ({ title: "Label", fields: [{ name: "key", label: "Name that references use", value: key }] }),
    changed: ({ key }) => ({ key: named(key) }),
  },
  {
    name: "url",
    attributes: { command: "url", href: "", text: "" },
    text: ({ command, href, text }) =>
      command !== "href" ? `\\${command}{${href}}` : `\\${command}{${href}}{${text ?? ""}}`,
    draw(dom, { href, text }) {
      dom.textContent = text || href;
      dom.title = href;
    },
    sheet: ({ command, href, text }) => ({
      title: "Web address",
      fields: [
        { name: "href", label: "Address", value: href },
        ...(command !== "href" ? [] : [{ name: "text", label: "Words shown", value: text ?? "" }]),
      ],
    }),
    changed: ({ href, text }) => ({
      href: (href ?? "").replace(/[{}\s]/g, ""),
      ...(text === undefined ? { text: href ?? "" } : { text: unbroken(text) }),
    }),
  },
  {
    name: "raw",
    attributes: { latex: "" },
    text: ({ latex }) => latex,
    draw(dom, { latex }) {
      dom.textContent = latex.trim() || "␣";
      dom.title = "Kept exactly as written";
    },
    sheet: ({ latex }) => ({
      title: "LaTeX, kept exactly as written",
      fields: [{ name: "latex", label: "LaTeX", value: latex, long: true }],
    }),
    changed: ({ latex }) => ({ latex: latex ?? "" }),
  },
];

/** A preview that says what is wrong with a formula. */
export function previewMaths(into: HTMLElement, latex: string, display: boolean): void {
  const shown = document.createElement("div");
  drawMaths(shown, latex, display);
  const wrong = shown.dataset.wrong;
  into.replaceChildren(shown);
  if (!wrong) return;
  const told = document.createElement("p");
  told.className = "wrong";
  told.textContent = wrong;
  into.append(told);
}

/** An empty line would end the paragraph that the piece stands in. */
function unbroken(latex = ""): string {
  return latex.replace(/(\r?\n[ \t]*){2,}/g, "\n");
}

function named(key = ""): string {
  return key.replace(/[{}\\%#\s]/g, "");
}

/** A line end within a paragraph: kept, and read as a space. */
const SoftBreak = Node.create({
  name: "softBreak",
  group: "inline",
  inline: true,
  atom: true,
  selectable: false,
  addAttributes: () => kept({ source: "\n" }),
  parseHTML: () => [{ tag: "span[data-atom=softBreak]" }],
  renderHTML: () => ["span", { "data-atom": "softBreak" }, " "],
  renderText: () => " ",
});

export const atoms = [...CHIPS.map(chip), SoftBreak];

/** Open the sheet of the piece at `at`. False when it has none. */
export function openAtom(editor: Editor, at: number): boolean {
  const node = editor.state.doc.nodeAt(at);
  const of = CHIPS.find(({ name }) => name === node?.type.name);
  const dom = editor.view.nodeDOM(at);
  if (!node || !of || !(dom instanceof Element)) return false;
  editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, at)));
  openSheet(dom, sheetPlace(editor), {
    ...of.sheet(node.attrs),
    changed: (values) => change(editor, at, of.name, (attrs) => of.changed(values, attrs)),
    remove: () => removeAt(editor, at, of.name),
    left: (byKey) => leave(editor, at, of.name, byKey),
  });
  return true;
}

/** Where sheets stand: beside the text, not in it. */
export function sheetPlace(editor: Editor): HTMLElement {
  return editor.view.dom.parentElement?.parentElement ?? document.body;
}

/** Change attributes of the node at `at`, as long as it is still of the type `name`. */
export function change(
  editor: Editor,
  at: number,
  name: string,
  to: (attrs: Record<string, any>) => Record<string, unknown>,
): void {
  const node: TextNode | null = editor.state.doc.nodeAt(at);
  if (node?.type.name !== name) return;
  const { tr } = editor.state;
  for (const [attribute, value] of Object.entries(to(node.attrs))) tr.setNodeAttribute(at, attribute, value);
  const { selection } = editor.state;
  if (selection instanceof NodeSelection && selection.from === at) tr.setSelection(NodeSelection.create(tr.doc, at));
  editor.view.dispatch(tr);
}

export function removeAt(editor: Editor, at: number, name: string): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name === name) editor.view.dispatch(editor.state.tr.delete(at, at + node.nodeSize));
}

/** The caret goes behind the piece; one that was left empty is taken out. */
function leave(editor: Editor, at: number, name: string, byKey: boolean): void {
  const node = editor.state.doc.nodeAt(at);
  const same = node?.type.name === name;
  if (same && (node.attrs.latex === "" || node.attrs.key === "" || node.attrs.href === "")) removeAt(editor, at, name);
  else if (same && byKey) editor.commands.setTextSelection(at + node.nodeSize);
  if (byKey) editor.view.focus();
}
