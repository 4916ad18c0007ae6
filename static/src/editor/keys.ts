import { Extension, InputRule, textInputRule } from "@tiptap/core";
import { AllSelection, NodeSelection, Plugin, Selection, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { openAtom } from "./inline-chips";

const PIECES = new Set(["maths", "footnote", "ref", "label", "url", "raw"]);
const BLOCKS = new Set(["rawBlock", "mathBlock", "figure"]);

/**
 * Keys that follow each other quickly overtake the browser's news of where the caret is: then the caret itself is
 * asked.
 */
function catchUp(view: EditorView): void {
  const { selection, tr, doc } = view.state;
  const caret = document.getSelection();
  const isText = selection instanceof TextSelection || selection instanceof AllSelection;
  if (!isText || !caret?.isCollapsed || !caret.focusNode || !view.dom.contains(caret.focusNode) || view.composing)
    return;
  const at = view.posAtDOM(caret.focusNode, caret.focusOffset);
  if (!selection.empty || at !== selection.from) view.dispatch(tr.setSelection(Selection.near(doc.resolve(at))));
}

/**
 * The first letter of an empty block is put in here, not by the browser: right after such a block is made, Chromium
 * inserts the letter beside the block (straight into the list, say) and leaves the caret before it.
 */
function firstLetter(view: EditorView, event: KeyboardEvent): boolean {
  if (document.getSelection()?.focusNode instanceof Text) return false;
  catchUp(view);
  const { selection } = view.state;
  const { $from, from, to, empty } = selection;
  const letter = String.fromCodePoint(event.charCode);
  if (!(selection instanceof TextSelection) || !empty || $from.parent.content.size || /[\r\n]/.test(letter))
    return false;
  const byItself = () => view.state.tr.insertText(letter).scrollIntoView();
  if (!view.someProp("handleTextInput", (handle) => handle(view, from, to, letter, byItself)))
    view.dispatch(byItself());
  return true;
}

/** What the keyboard does with the pieces of a paragraph, and what is made of `$x$` and `--` while typing. */
export const Keys = Extension.create({
  name: "keys",
  addKeyboardShortcuts() {
    const { editor } = this;
    // A piece is selected before it is deleted: it may hold more than it shows.
    const towards = (step: -1 | 1) => (): boolean => {
      const { selection } = editor.state;
      const beside = step < 0 ? selection.$from.nodeBefore : selection.$from.nodeAfter;
      if (!selection.empty || !beside) return false;
      const at = step < 0 ? selection.from - beside.nodeSize : selection.from;
      if (beside.type.name === "softBreak") return editor.commands.deleteRange({ from: at, to: at + 1 });
      return PIECES.has(beside.type.name) && editor.commands.setNodeSelection(at);
    };
    const enter = (): boolean => {
      const { selection } = editor.state;
      if (!(selection instanceof NodeSelection)) return false;
      if (PIECES.has(selection.node.type.name)) return openAtom(editor, selection.from);
      if (!BLOCKS.has(selection.node.type.name)) return false;
      editor.view.nodeDOM(selection.from)?.dispatchEvent(new CustomEvent("open-block"));
      return true;
    };
    return {
      Backspace: towards(-1),
      Delete: towards(1),
      Enter: enter,
      "Shift-Enter": () => editor.commands.setHardBreak(),
    };
  },
  addProseMirrorPlugins() {
    // What is typed while a piece or block is selected goes behind it: only a key that deletes takes it out.
    const handleTextInput: NonNullable<Plugin["props"]["handleTextInput"]> = (view, _from, _to, text) => {
      const { selection, tr } = view.state;
      if (!(selection instanceof NodeSelection)) return false;
      if (BLOCKS.has(selection.node.type.name)) {
        const paragraph = view.state.schema.nodes.paragraph!.create(null, view.state.schema.text(text));
        tr.insert(selection.to, paragraph);
        view.dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to + 1 + text.length)).scrollIntoView());
        return true;
      }
      if (!PIECES.has(selection.node.type.name)) return false;
      tr.insertText(text, selection.to);
      view.dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to + text.length)).scrollIntoView());
      return true;
    };
    // A letter goes where the browser has the caret; every other key, and every command, where the document has it.
    const keydown = (view: EditorView, event: KeyboardEvent): void => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey) catchUp(view);
    };
    return [new Plugin({ props: { handleTextInput, handleKeyPress: firstLetter, handleDOMEvents: { keydown } } })];
  },
  addInputRules() {
    const type = this.editor.schema.nodes.maths!;
    return [
      // Whoever types two hyphens into LaTeX means a dash. Backspace takes it back; code is left alone.
      textInputRule({ find: /--$/, replace: "–" }),
      textInputRule({ find: /–-$/, replace: "—" }),
      new InputRule({
        // A price is no formula: what stands between the dollars neither begins nor ends with a blank.
        find: /(^|[^\\$])\$([^$\s](?:[^$]*[^$\s\\])?)\$$/,
        handler: ({ state, range, match }) => {
          const from = range.from + (match[1] ?? "").length;
          state.tr.replaceWith(from, range.to, type.create({ latex: match[2], delimiters: "$" }));
        },
      }),
    ];
  },
});
