import { PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

import { decorationExtension } from "./decorations";
import type { Kind } from "./printed-labels";

/** A number assigned by the server, with its position in the LaTeX. */
export interface Numbered {
  kind: Kind;
  number: string;
  start: number; // UTF-16 units
}

/** The number of a block, as positions in the document. */
export interface NumberedBlock {
  from: number;
  to: number;
  number: string;
}

/** The key of the transaction meta that sets the numbers. */
export const numbersKey = new PluginKey<DecorationSet>("numbers");

/** The extension that shows numbers before headings and captions (editor.css). New blocks have none until saved. */
export const Numbers = decorationExtension("numbers", numbersKey, ({ from, to, number }: NumberedBlock) =>
  Decoration.node(from, to, { style: `--number: ${JSON.stringify(number)}` }),
);
