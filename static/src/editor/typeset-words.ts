import { drawCite } from "../citation-chips/chip";
import { chipStore } from "../citation-chips/chips";
import type { InlineJSON } from "../latex";
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
    case "raw":
      dom.textContent = plainWords(inline.attrs.latex);
      printedCommands.show(inline.attrs.latex, (html) => (dom.innerHTML = html));
      return dom;
    case "footnote":
      return plainWords(inline.attrs.latex);
    case "label":
      return "";
    default:
      return " ";
  }
}
