import { PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

import { painting } from "./decorations";

/** A number as the server counts it, and where in the LaTeX it belongs. */
export interface Numbered {
  kind: "heading" | "figure" | "table" | "equation";
  number: string;
  start: number; // UTF-16 units
}

/** The number of a block: told by a transaction with this meta. */
export interface NumberedBlock {
  from: number;
  to: number;
  number: string;
}

export const numbers = new PluginKey<DecorationSet>("numbers");

/**
 * Numbers stand before headings and captions (editor.css). They move with their blocks; what is new has none until it
 * is saved.
 */
export const Numbers = painting("numbers", numbers, ({ from, to, number }: NumberedBlock) =>
  Decoration.node(from, to, { style: `--number: ${JSON.stringify(number)}` }),
);
