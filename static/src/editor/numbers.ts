import { Extension } from "@tiptap/core";
import { Plugin, PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

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

/** Numbers stand before headings and captions (editor.css). They move with their blocks; what is new has none until it is saved. */
export const Numbers = Extension.create({
  name: "numbers",
  addProseMirrorPlugins: () => [
    new Plugin<DecorationSet>({
      key: numbers,
      state: {
        init: () => DecorationSet.empty,
        apply(tr, set) {
          const told = tr.getMeta(numbers) as NumberedBlock[] | undefined;
          if (!told) return tr.docChanged ? set.map(tr.mapping, tr.doc) : set;
          return DecorationSet.create(tr.doc, told.map(({ from, to, number }) => Decoration.node(from, to, { style: `--number: ${JSON.stringify(number)}` })));
        },
      },
      props: { decorations: (state) => numbers.getState(state) },
    }),
  ],
});
