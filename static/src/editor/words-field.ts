import { Editor, Extension } from "@tiptap/core";
import { Document } from "@tiptap/extension-document";
import { HardBreak } from "@tiptap/extension-hard-break";
import { Paragraph } from "@tiptap/extension-paragraph";
import { Text } from "@tiptap/extension-text";
import { UndoRedo } from "@tiptap/extensions";
import { NodeSelection } from "@tiptap/pm/state";
import { Cite } from "../citation-chips/cite-node";
import type { InlineJSON } from "../latex";
import { contained } from "../latex/close-braces";
import { contentOf, unitsOf } from "../latex/inline";
import { writeInline } from "../latex/write-inline";
import { el } from "../cite-dialog/render";
import { atoms } from "./inline-chips";
import { Keys } from "./keys";
import { marks } from "./marks";
import { cleanHTML } from "./paste";
import type { Control } from "./popover";
import { TypedQuotes } from "./typed-quotes";

/** Enter and Esc are done with the field, after the list of citations and the selected chip had their turn. */
const Done = Extension.create({
  name: "done",
  priority: 150,
  addKeyboardShortcuts() {
    const done = (): boolean => {
      this.editor.view.dom.dispatchEvent(new CustomEvent("sheet-done", { bubbles: true }));
      return true;
    };
    return {
      Enter: () => !(this.editor.state.selection instanceof NodeSelection) && done(),
      "Mod-Enter": done,
      Escape: done,
    };
  },
});

/**
 * Create a field for words that are stored as LaTeX, such as a footnote or a caption: one paragraph, edited as in the
 * text, with bold, italic, formulas and citations. What is not touched keeps its LaTeX.
 */
export function wordsField(latex: string, changed: (latex: string) => void, id: string): Control {
  const units = unitsOf(latex);
  const dom = el("div", { class: "words-field", id });
  if (!units) return sourceBox(latex, changed, id);
  const content = contentOf(units);
  const editor = new Editor({
    element: dom,
    injectCSS: false,
    extensions: [
      Document.extend({ content: "paragraph" }),
      Text,
      Paragraph,
      HardBreak.extend({ addKeyboardShortcuts: () => ({}) }),
      ...atoms,
      ...marks,
      Cite,
      Keys,
      TypedQuotes,
      Done,
      UndoRedo,
    ],
    content: { type: "doc", content: [{ type: "paragraph", content: content as object[] }] },
    editorProps: {
      attributes: {
        class: "visual words",
        role: "textbox",
        "aria-multiline": "false",
        "aria-labelledby": `${id}-label`,
        spellcheck: "true",
        lang: document.querySelector<HTMLElement>(".visual:not(.words)")?.lang ?? "",
      },
      transformPastedHTML: cleanHTML,
    },
    onUpdate: ({ editor: { state } }) => {
      const words = state.doc.firstChild?.toJSON() as { content?: InlineJSON[] } | undefined;
      changed(writeInline(words?.content, latex, "\n"));
    },
  });
  return { dom, focus: () => editor.commands.focus("end"), destroy: () => editor.destroy() };
}

/** Words of several paragraphs are edited as LaTeX. */
function sourceBox(latex: string, changed: (latex: string) => void, id: string): Control {
  const box = document.createElement("textarea");
  Object.assign(box, { id, value: latex, className: "source", spellcheck: false });
  box.addEventListener("input", () => changed(contained(box.value)));
  return { dom: box, focus: () => box.focus() };
}
