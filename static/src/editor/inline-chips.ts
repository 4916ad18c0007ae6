import { mergeAttributes, Node, type Editor, type NodeViewRenderer } from "@tiptap/core";
import type { Node as TextNode } from "@tiptap/pm/model";
import { NodeSelection } from "@tiptap/pm/state";
import { closed, contained } from "../latex/close-braces";
import { cancelMaths, drawMaths, drawMathsLater } from "./maths";
import { commentOf, drawComment } from "./comment-mark";
import { formulaField, withCommands } from "./formula-field";
import { plainWords } from "./plain-words";
import { openSheet, type Field, type Sheet } from "./popover";
import { printedLabels } from "./printed-labels";
import { referenceField } from "./cross-reference-field";
import { printedCommands } from "./printed-commands";
import { setBlock } from "./typeset-words";

/** An inline piece of LaTeX that is shown as a chip and edited in a sheet. */
interface ChipType {
  name: string;
  attributes: Record<string, unknown>;
  selectable?: boolean;
  /** Return its LaTeX for the clipboard's plain text. */
  text(attrs: Record<string, any>): string;
  draw(dom: HTMLElement, attrs: Record<string, any>, opening: boolean): void;
  drop?(dom: HTMLElement): void;
  /** Return the parts of the sheet that differ between chips. */
  sheet(attrs: Record<string, any>): Pick<Sheet, "title" | "fields" | "preview">;
  /** Convert the values of the sheet to attributes. */
  toAttributes(values: Record<string, string>, attrs: Record<string, any>): Record<string, unknown>;
}

const FITS_A_PHONE = 20; // characters of a formula that is surely no wider than a line

/** Controls of sheets that consist of these chips themselves; visual-view.ts sets them. */
export const controls: { words?: Required<Pick<Field, "control">> } = {};

/** True while a text is being opened; formulas are then drawn later, when there is time. */
export const opening = { now: false };

/** Define attributes that are not rendered as HTML attributes; the clipboard has them in `data-attrs`. */
export function unrendered(
  attributes: Record<string, unknown>,
): Record<string, { default: unknown; rendered: boolean }> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, { default: value, rendered: false }]),
  );
}

/** Validate attributes from the clipboard: only known names and simple types, never `source`. */
export function parsePasted(
  attributes: Record<string, unknown>,
  given: string | null,
): Record<string, unknown> | false {
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

function createChip(of: ChipType): Node {
  return Node.create({
    name: of.name,
    group: "inline",
    inline: true,
    atom: true,
    selectable: of.selectable ?? true,
    addAttributes: () => unrendered(of.attributes),
    parseHTML: () => [
      {
        tag: `span[data-atom="${of.name}"]`,
        getAttrs: (dom) => parsePasted(of.attributes, dom.getAttribute("data-attrs")),
      },
    ],
    renderHTML: ({ node, HTMLAttributes }) => [
      "span",
      mergeAttributes(HTMLAttributes, { "data-atom": of.name, "data-attrs": JSON.stringify(node.attrs) }),
      of.text(node.attrs),
    ],
    renderText: ({ node }) => of.text(node.attrs),
    addNodeView: () => chipView(of),
  });
}

function chipView(of: ChipType): NodeViewRenderer {
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

const CHIP_TYPES: ChipType[] = [
  {
    name: "maths",
    attributes: { latex: "", delimiters: "$" },
    text: ({ latex }) => `$${latex}$`,
    draw(dom, { latex }, now) {
      (now ? drawMathsLater : drawMaths)(dom, latex, false);
      dom.title = latex;
      dom.classList.toggle("is-long", latex.length > FITS_A_PHONE);
    },
    drop: cancelMaths,
    sheet: ({ latex }) => ({
      title: "Maths",
      fields: [{ name: "latex", label: "LaTeX of the formula", value: latex, control: formulaField }],
      preview: (into, { latex: typed = "" }) => previewMaths(into, typed, false),
    }),
    toAttributes: ({ latex = "" }) => ({ latex: closed(withCommands(withoutEmptyLines(latex))) }),
  },
  {
    name: "footnote",
    attributes: { latex: "" },
    text: ({ latex }) => `\\footnote{${latex}}`,
    draw(dom, { latex }) {
      dom.textContent ||= "*"; // ./footnotes sets its number
      dom.title = plainWords(latex);
    },
    sheet: ({ latex }) => ({
      title: "Footnote",
      fields: [{ name: "latex", label: "Words of the footnote", value: latex, ...controls.words }],
    }),
    toAttributes: ({ latex }) => ({ latex: withoutEmptyLines(latex) }),
  },
  {
    name: "ref",
    attributes: { command: "ref", key: "" },
    text: ({ command, key }) => `\\${command}{${key}}`,
    draw(dom, { command, key }) {
      printedLabels.show(dom, () => {
        const printed = printedLabels.printed(command, key);
        dom.textContent = printed ?? "??"; // as LaTeX prints it
        dom.toggleAttribute("data-printed", printed !== null);
        dom.title = printed === null && key ? `Nothing in the thesis has the label ${key}` : `\\${command}{${key}}`;
      });
    },
    sheet: ({ key }) => referenceSheet(key),
    toAttributes: ({ key }) => ({ key: cleanKey(key) }),
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
    toAttributes: ({ key }) => ({ key: cleanKey(key) }),
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
        ...(command !== "href" ? [] : [{ name: "text", label: "Link text", value: text ?? "" }]),
      ],
    }),
    toAttributes: ({ href, text }) => ({
      href: (href ?? "").replace(/[{}\s]/g, ""),
      ...(text === undefined ? { text: href ?? "" } : { text: closed(withoutEmptyLines(text)) }),
    }),
  },
  {
    name: "raw",
    attributes: { latex: "" },
    text: ({ latex }) => latex,
    draw(dom, { latex }) {
      dom.classList.remove("is-set", "is-block");
      delete dom.dataset.wrong;
      dom.dataset.latex = latex;
      const comment = commentOf(latex);
      dom.classList.toggle("is-comment", comment !== null);
      if (comment) return drawComment(dom, comment);
      const sign = /^\\tnote\{([^{}]*)\}$/.exec(latex)?.[1]; // of a note under the table
      dom.classList.toggle("is-sign", sign !== undefined);
      if (sign !== undefined)
        return void dom.replaceChildren(Object.assign(document.createElement("sup"), { textContent: sign }));
      const block = setBlock(latex.trim());
      if (block) {
        dom.classList.add("is-block");
        dom.title = "Show source";
        return void dom.replaceChildren(block);
      }
      dom.textContent = latex.trim() || "␣";
      dom.title = "Kept exactly as written";
      if (/^(?:\$|\\[([])$/.test(latex)) {
        dom.title = dom.dataset.wrong = "This formula is never closed";
        dom.append(" formula not closed");
        return;
      }
      printedCommands.show(latex, (html) => {
        if (dom.dataset.latex !== latex) return; // it was changed meanwhile
        dom.innerHTML = html;
        dom.classList.add("is-set");
        dom.title = latex;
      });
    },
    sheet: ({ latex }) => ({
      title: "LaTeX, kept exactly as written",
      fields: [{ name: "latex", label: "LaTeX", value: latex, long: true }],
    }),
    toAttributes: ({ latex = "" }) => ({ latex: /%/.test(latex) ? contained(latex) : closed(latex) }),
  },
];

/** Draw a preview of a formula with its error, if there is one. */
export function previewMaths(into: HTMLElement, latex: string, display: boolean): void {
  const shown = document.createElement("div");
  drawMaths(shown, latex, display);
  const error = shown.dataset.wrong;
  into.replaceChildren(shown);
  if (!error) return;
  const message = document.createElement("p");
  message.className = "wrong";
  message.textContent = error;
  into.append(message);
}

/** Remove empty lines, which would end the paragraph. */
function withoutEmptyLines(latex = ""): string {
  return latex.replace(/(\r?\n[ \t]*){2,}/g, "\n");
}

function cleanKey(key = ""): string {
  return key.replace(/[{}\\%#\s]/g, "");
}

/** A line break in the source of a paragraph: kept, and shown as a space. */
const SoftBreak = Node.create({
  name: "softBreak",
  group: "inline",
  inline: true,
  atom: true,
  selectable: false,
  addAttributes: () => unrendered({ source: "\n" }),
  parseHTML: () => [{ tag: "span[data-atom=softBreak]" }],
  renderHTML: () => ["span", { "data-atom": "softBreak" }, " "],
  renderText: () => " ",
});

/** The inline nodes of the visual editor that are edited as a whole. */
export const atoms = [...CHIP_TYPES.map(createChip), SoftBreak];

/** Open the sheet of the chip at `at`; return false when it has none. */
export function openAtom(editor: Editor, at: number): boolean {
  const node = editor.state.doc.nodeAt(at);
  const of = CHIP_TYPES.find(({ name }) => name === node?.type.name);
  const dom = editor.view.nodeDOM(at);
  if (!node || !of || !(dom instanceof Element)) return false;
  editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, at)));
  openSheet(dom, sheetPlace(editor), {
    ...of.sheet(node.attrs),
    onChange: (values) => changeAttributes(editor, at, of.name, (attrs) => of.toAttributes(values, attrs)),
    remove: () => removeAt(editor, at, of.name),
    onClose: (byKey) => sheetClosed(editor, at, of.name, byKey),
  });
  return true;
}

/**
 * Choose something to refer to, and insert the reference after the selection. Nothing is in the text before it is
 * chosen. \\Cref prints the word as well: "Table 5.1".
 */
export function insertReference(editor: Editor): void {
  const { left, right, top, bottom } = editor.view.coordsAtPos(editor.state.selection.to);
  const caret = { getBoundingClientRect: () => new DOMRect(left, top, right - left, bottom - top) };
  openSheet(caret, sheetPlace(editor), {
    ...referenceSheet(""),
    onChange: ({ key }) => {
      const chosen = { type: "ref", attrs: { command: "Cref", key: cleanKey(key) } };
      editor.commands.insertContentAt(editor.state.selection.to, chosen);
    },
    onClose: (byKey) => byKey && editor.view.focus(),
  });
}

function referenceSheet(key: string): Pick<Sheet, "title" | "fields"> {
  return {
    title: "Refer to",
    fields: [{ name: "key", label: "Heading, table, figure or formula", value: key, control: referenceField }],
  };
}

/** Return the parent element for sheets, outside the editable text. */
export function sheetPlace(editor: Editor): HTMLElement {
  return editor.view.dom.parentElement?.parentElement ?? document.body;
}

/** Change attributes of the node at `at` if it is still of the type `name`. */
export function changeAttributes(
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

/** Delete the node at `at` if it is still of the type `name`. */
export function removeAt(editor: Editor, at: number, name: string): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name === name) editor.view.dispatch(editor.state.tr.delete(at, at + node.nodeSize));
}

/** Put the caret after the chip when its sheet closes; an empty chip is deleted. */
function sheetClosed(editor: Editor, at: number, name: string, byKey: boolean): void {
  const node = editor.state.doc.nodeAt(at);
  const same = node?.type.name === name;
  if (same && (node.attrs.latex === "" || node.attrs.key === "" || node.attrs.href === "")) removeAt(editor, at, name);
  else if (same && byKey) editor.commands.setTextSelection(at + node.nodeSize);
  if (byKey) editor.view.focus();
}
