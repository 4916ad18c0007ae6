import { Extension } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";

/** The extension that numbers footnotes in the order of the text. */
export const Footnotes = Extension.create({
  name: "footnotes",
  addProseMirrorPlugins: () => [
    new Plugin({
      view: (view) => {
        const chips = view.dom.getElementsByClassName("footnote"); // live, so a key press searches nothing
        const number = (): void => {
          for (let at = 0; at < chips.length; at++) {
            const chip = chips[at] as HTMLElement;
            if (chip.textContent !== String(at + 1)) chip.textContent = String(at + 1);
            if (chip.ariaLabel !== `Footnote ${at + 1}`) chip.ariaLabel = `Footnote ${at + 1}`;
          }
        };
        number();
        return {
          update: ({ state }, before) => {
            if (state.doc !== before.doc) number();
          },
        };
      },
    }),
  ],
});
