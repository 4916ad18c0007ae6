import { Extension } from "@tiptap/core";
import { Plugin, PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";

/**
 * An extension that paints what a transaction tells with the meta `key`. It moves with the text until something else is
 * told.
 */
export function painting<Told>(
  name: string,
  key: PluginKey<DecorationSet>,
  decoration: (told: Told) => Decoration,
): Extension {
  return Extension.create({
    name,
    addProseMirrorPlugins: () => [
      new Plugin<DecorationSet>({
        key,
        state: {
          init: () => DecorationSet.empty,
          apply(tr, set) {
            const told = tr.getMeta(key) as Told[] | undefined;
            if (!told) return tr.docChanged ? set.map(tr.mapping, tr.doc) : set;
            return DecorationSet.create(tr.doc, told.map(decoration));
          },
        },
        props: { decorations: (state) => key.getState(state) },
      }),
    ],
  });
}
