import type { Node } from "@tiptap/pm/model";
import { PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

import { decorationExtension } from "./decorations";

/** A highlight, as positions in the document. */
export interface Highlight {
  id: string;
  from: number;
  to: number;
  /** Highlight the whole block, because its words were not found. */
  whole: boolean;
}

/** The key of the transaction meta that sets the highlights. */
export const highlightsKey = new PluginKey<DecorationSet>("highlights");

/** The extension that highlights commented words. */
export const Highlights = decorationExtension("highlights", highlightsKey, decoration);

function decoration({ id, from, to, whole }: Highlight): Decoration {
  const attributes = { class: "commented", "data-comment": id };
  return whole
    ? Decoration.node(from, to, attributes)
    : Decoration.inline(from, to, { nodeName: "span", ...attributes });
}

/** Find the visible words of a LaTeX range in a block; null when they are not there literally. */
export function findWords(block: Node, at: number, latex: string): { from: number; to: number } | null {
  const visible = latex.replace(/\\%/g, "%").replace(/\\&/g, "&").replace(/~/g, "\u00a0").replace(/\s+/g, " ").trim();
  if (!visible) return null;
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
  const found = text.indexOf(visible);
  if (found < 0) return null;
  return { from: places[found]!, to: places[found + visible.length - 1]! + 1 };
}
