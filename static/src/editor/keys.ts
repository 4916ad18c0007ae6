import { Extension, InputRule, textInputRule } from "@tiptap/core";
import { AllSelection, NodeSelection, Plugin, Selection, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { openAtom } from "./inline-chips";

const INLINE_CHIPS = new Set(["maths", "footnote", "ref", "label", "url", "raw"]);
const BLOCKS = new Set(["rawBlock", "mathBlock", "figure"]);

/** Read the caret from the browser, because fast typing can overtake its selection events. */
function syncSelection(view: EditorView): void {
  const { selection, tr, doc } = view.state;
  const caret = document.getSelection();
  const isText = selection instanceof TextSelection || selection instanceof AllSelection;
  if (!isText || !caret?.isCollapsed || !caret.focusNode || !view.dom.contains(caret.focusNode) || view.composing)
    return;
  const at = view.posAtDOM(caret.focusNode, caret.focusOffset);
  if (!selection.empty || at !== selection.from) view.dispatch(tr.setSelection(Selection.near(doc.resolve(at))));
}

/**
 * Insert the first letter of an empty block instead of the browser. Right after such a block is created, Chromium puts
 * the letter next to the block (for example directly into the list) and leaves the caret in front of it.
 */
function insertFirstLetter(view: EditorView, event: KeyboardEvent): boolean {
  if (document.getSelection()?.focusNode instanceof Text) return false;
  syncSelection(view);
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

/** The extension for keys on inline chips and blocks, and for typing `$x$` and `--`. */
export const Keys = Extension.create({
  name: "keys",
  addKeyboardShortcuts() {
    const { editor } = this;
    // A chip is selected before it is deleted, because it may contain more than it shows.
    const towards = (step: -1 | 1) => (): boolean => {
      const { selection } = editor.state;
      const beside = step < 0 ? selection.$from.nodeBefore : selection.$from.nodeAfter;
      if (!selection.empty || !beside) return false;
      const at = step < 0 ? selection.from - beside.nodeSize : selection.from;
      if (beside.type.name === "softBreak") return editor.commands.deleteRange({ from: at, to: at + 1 });
      return INLINE_CHIPS.has(beside.type.name) && editor.commands.setNodeSelection(at);
    };
    const enter = (): boolean => {
      const { selection } = editor.state;
      if (!(selection instanceof NodeSelection)) return false;
      if (INLINE_CHIPS.has(selection.node.type.name)) return openAtom(editor, selection.from);
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
    // Typing while a chip or block is selected inserts after it; only Backspace and Delete remove it.
    const handleTextInput: NonNullable<Plugin["props"]["handleTextInput"]> = (view, _from, _to, text) => {
      const { selection, tr } = view.state;
      if (!(selection instanceof NodeSelection)) return false;
      if (BLOCKS.has(selection.node.type.name)) {
        const paragraph = view.state.schema.nodes.paragraph!.create(null, view.state.schema.text(text));
        tr.insert(selection.to, paragraph);
        view.dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to + 1 + text.length)).scrollIntoView());
        return true;
      }
      if (!INLINE_CHIPS.has(selection.node.type.name)) return false;
      tr.insertText(text, selection.to);
      view.dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to + text.length)).scrollIntoView());
      return true;
    };
    // A letter goes to the browser's caret; other keys and commands use the document's selection.
    const keydown = (view: EditorView, event: KeyboardEvent): void => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey) syncSelection(view);
    };
    return [
      new Plugin({ props: { handleTextInput, handleKeyPress: insertFirstLetter, handleDOMEvents: { keydown } } }),
    ];
  },
  addInputRules() {
    const type = this.editor.schema.nodes.maths!;
    return [
      // Two hyphens mean a dash in LaTeX. Backspace undoes that; code is not changed.
      textInputRule({ find: /--$/, replace: "–" }),
      textInputRule({ find: /–-$/, replace: "—" }),
      new InputRule({
        // To tell a formula from prices, the text between the dollars must not begin or end with a space.
        find: /(^|[^\\$])\$([^$\s](?:[^$]*[^$\s\\])?)\$$/,
        handler: ({ state, range, match }) => {
          const from = range.from + (match[1] ?? "").length;
          state.tr.replaceWith(from, range.to, type.create({ latex: match[2], delimiters: "$" }));
        },
      }),
    ];
  },
});
