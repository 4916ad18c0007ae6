import { drawCite } from "../citation-chips/chip";
import { chipStore } from "../citation-chips/chips";
import { toDocument, type BlockJSON, type InlineJSON, type ListJSON, type TableJSON } from "../latex";
import { contentOf, unitsOf } from "../latex/inline";
import { drawMaths } from "./maths";
import { plainWords } from "./plain-words";
import { printedLabels } from "./printed-labels";
import { printedCommands } from "./printed-commands";

const TAGS: Record<string, string> = {
  bold: "strong",
  italic: "em",
  code: "code",
  underline: "u",
  superscript: "sup",
  subscript: "sub",
};

/** Set the LaTeX of a caption or a note (not edited in place): its marks, formulas, citations and references. */
export function setWords(latex: string): (string | HTMLElement)[] {
  const units = unitsOf(latex.trim());
  return units ? contentOf(units).map(setInline) : [plainWords(latex)];
}

/** Set one inline piece: words with their marks, a formula, a citation, a reference. */
export function setInline(inline: InlineJSON): string | HTMLElement {
  const dom = document.createElement("span");
  switch (inline.type) {
    case "text":
      return (inline.marks ?? []).reduce<string | HTMLElement>((inside, { type }) => {
        const marked = document.createElement(TAGS[type] ?? "span");
        if (!TAGS[type]) marked.className = type;
        marked.append(inside);
        return marked;
      }, inline.text);
    case "maths":
      drawMaths(dom, inline.attrs.latex, false);
      return dom;
    case "cite": {
      const draw = (): void => drawCite(dom, { source: null, ...inline.attrs }, chipStore);
      const stop = chipStore.onChange((keys) => {
        if (!dom.isConnected) stop();
        else if (inline.attrs.keys.some((key) => keys.has(key))) draw();
      });
      dom.className = "cites";
      draw();
      return dom;
    }
    case "ref": {
      const { command, key } = inline.attrs;
      printedLabels.show(dom, () => (dom.textContent = printedLabels.printed(command, key) ?? "??"));
      return dom;
    }
    case "url":
      return plainWords(inline.attrs.text || inline.attrs.href);
    case "raw": {
      const block = setBlock(inline.attrs.latex);
      if (block) return block;
      dom.textContent = BLOCK.test(inline.attrs.latex) ? inline.attrs.latex : plainWords(inline.attrs.latex);
      printedCommands.show(inline.attrs.latex, (html) => (dom.innerHTML = html));
      return dom;
    }
    case "footnote":
      return plainWords(inline.attrs.latex);
    case "label":
      return "";
    default:
      return " ";
  }
}

const BLOCK = /^\\begin\{(?:tabular[*x]?|itemize|enumerate)\}/;
const DEEPEST = 4; // tables within tables
let depth = 0;

/** Set a table or a list that stands in a cell, which is not edited in place; null for other LaTeX. */
export function setBlock(latex: string): HTMLElement | null {
  if (!BLOCK.test(latex) || depth === DEEPEST) return null;
  const [block, more] = toDocument(latex).doc.content;
  if (!block || more) return null;
  depth++;
  try {
    return block.type === "table" ? setTable(block) : isList(block) ? setList(block) : null;
  } finally {
    depth--;
  }
}

const isList = (block: BlockJSON): block is ListJSON => block.type === "bulletList" || block.type === "orderedList";

function setTable({ content }: TableJSON): HTMLElement {
  const table = document.createElement("table");
  for (const row of content) {
    const cells = table.insertRow();
    for (const { type, attrs, content: inside } of row.content) {
      const cell = document.createElement(type === "tableHeader" ? "th" : "td");
      if (Number(attrs?.colspan) > 1) cell.colSpan = Number(attrs?.colspan);
      if (Number(attrs?.rowspan) > 1) cell.rowSpan = Number(attrs?.rowspan);
      if (attrs?.align) cell.dataset.align = String(attrs.align);
      for (const one of inside ?? [])
        cell.append(...(one.type === "paragraph" ? setAll(one.content) : [setInline(one)]));
      cells.append(cell);
    }
  }
  return table;
}

function setList({ type, content }: ListJSON): HTMLElement {
  const list = document.createElement(type === "orderedList" ? "ol" : "ul");
  for (const item of content) {
    const row = document.createElement("li");
    for (const one of item.content)
      if (one.type !== "paragraph") row.append(setList(one));
      else {
        const words = document.createElement("div");
        words.append(...setAll(one.content));
        row.append(words);
      }
    list.append(row);
  }
  return list;
}

function setAll(content: readonly InlineJSON[] = []): (string | HTMLElement)[] {
  return content.map(setInline);
}
