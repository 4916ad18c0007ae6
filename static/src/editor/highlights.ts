import type { Node } from "@tiptap/pm/model";
import { PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

import { painting } from "./decorations";

/** What is painted: positions in the document, told by a transaction with this meta. */
export interface Painted {
  id: string;
  from: number;
  to: number;
  /** Whole blocks: where the words themselves are not found. */
  whole: boolean;
}

export const highlights = new PluginKey<DecorationSet>("highlights");

/** Places of comments, painted under the text. They move with it. */
export const Highlights = painting("highlights", highlights, decoration);

function decoration({ id, from, to, whole }: Painted): Decoration {
  const attributes = { class: "remarked", "data-comment": id };
  return whole
    ? Decoration.node(from, to, attributes)
    : Decoration.inline(from, to, { nodeName: "span", ...attributes });
}

/** Where the words of a stretch of LaTeX stand in a block: as they are seen. Null when they are not found as such. */
export function wordsIn(block: Node, at: number, latex: string): { from: number; to: number } | null {
  const seen = latex.replace(/\\%/g, "%").replace(/\\&/g, "&").replace(/~/g, "\u00a0").replace(/\s+/g, " ").trim();
  if (!seen) return null;
  let text = "";
  const places: number[] = [];
  block.descendants((node, offset) => {
    if (node.isText) {
      for (let index = 0; index < node.text!.length; index++) places.push(at + 1 + offset + index);
      text += node.text;
    } else if (node.isInline) {
      places.push(at + 1 + offset);
      text += node.type.name === "softBreak" ? " " : "\ufffc";
    }
  });
  const found = text.indexOf(seen);
  if (found < 0) return null;
  return { from: places[found]!, to: places[found + seen.length - 1]! + 1 };
}
