import { Extension } from "@tiptap/core";
import { Plugin, PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

/**
 * Create an extension that draws the decorations listed in a transaction's meta `key`. They move with the text until
 * the next list.
 */
export function decorationExtension<Item>(
  name: string,
  key: PluginKey<DecorationSet>,
  decoration: (item: Item) => Decoration,
): Extension {
  return Extension.create({
    name,
    addProseMirrorPlugins: () => [
      new Plugin<DecorationSet>({
        key,
        state: {
          init: () => DecorationSet.empty,
          apply(tr, set) {
            const items = tr.getMeta(key) as Item[] | undefined;
            if (!items) return tr.docChanged ? set.map(tr.mapping, tr.doc) : set;
            return DecorationSet.create(tr.doc, items.map(decoration));
          },
        },
        props: { decorations: (state) => key.getState(state) },
      }),
    ],
  });
}
