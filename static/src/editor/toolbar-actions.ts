import type { Editor } from "@tiptap/core";
import { redoDepth, undoDepth } from "@tiptap/pm/history";
import { insertReference, openAtom } from "./inline-chips";
import { canChangeTable, changeTable, insertTable, isTableCommand } from "./table-commands";
import type { ToolbarAction } from "./view";

const LEVELS: Partial<Record<ToolbarAction, number>> = { section: 2, subsection: 3, subsubsection: 4 };
const MARKS = new Set<ToolbarAction>(["bold", "italic", "code", "superscript", "subscript"]);
/** Tell whether an action of the toolbar is possible at the caret. */
export function canDo(editor: Editor, act: ToolbarAction): boolean {
  const { $from } = editor.state.selection;
  const inCell = isIn(editor, "table");
  if (MARKS.has(act)) return $from.parent.isTextblock;
  if (act === "maths" || act === "footnote" || act === "reference") return $from.parent.inlineContent || !inCell;
  if (isTableCommand(act)) return canChangeTable(editor, act);
  if (act === "table") return true;
  if (act === "undo") return undoDepth(editor.state) > 0;
  if (act === "redo") return redoDepth(editor.state) > 0;
  return act === "figure" ? true : !inCell && !isIn(editor, "figure");
}

/** Tell whether an action's format is active at the caret. */
export function isOn(editor: Editor, act: ToolbarAction): boolean {
  if (LEVELS[act]) return isIn(editor, "heading", LEVELS[act]);
  if (MARKS.has(act)) return editor.isActive(act);
  return ["bulletList", "orderedList", "blockquote", "table", "figure", "paragraph"].includes(act) && isIn(editor, act);
}

/** Fast version of `editor.isActive`, which visits all blocks before the selection; this runs at each key press. */
function isIn(editor: Editor, name: string, level?: number): boolean {
  const { empty, $from } = editor.state.selection;
  if (!empty) return editor.isActive(name, level === undefined ? {} : { level });
  for (let depth = $from.depth; depth > 0; depth--) {
    const { type, attrs } = $from.node(depth);
    if (type.name === name && (level === undefined || attrs.level === level)) return true;
  }
  return false;
}

/** Run an action of the toolbar. */
export function runAction(editor: Editor, act: ToolbarAction): void {
  if (!canDo(editor, act)) return;
  if (act === "reference") return insertReference(editor); // its sheet keeps the focus
  const level = LEVELS[act];
  editor.view.focus(); // at once: Tiptap's own command waits for a frame, and what is typed until then would be lost
  const chain = editor.chain();
  if (level) chain.clearNodes().setHeading({ level }).run();
  else if (isTableCommand(act)) changeTable(editor, act);
  else if (MARKS.has(act)) chain.toggleMark(act).run();
  else if (act === "paragraph") chain.clearNodes().run();
  else if (act === "bulletList" || act === "orderedList") chain.toggleList(act, "listItem").run();
  else if (act === "blockquote") chain.clearNodes().toggleWrap("blockquote").run();
  else if (act === "undo") chain.undo().run();
  else if (act === "redo") chain.redo().run();
  else if (act === "table") insertTable(editor, 3, 3);
  else if (act === "maths" || act === "footnote") insertPiece(editor, act);
  else if (act === "mathBlock") insertMathBlock(editor);
}

/** Insert a formula or a footnote at the caret and open its sheet. Selected text becomes the formula. */
function insertPiece(editor: Editor, name: "maths" | "footnote"): void {
  const { empty, from, to, $from } = editor.state.selection;
  const emptyParagraph =
    empty && $from.parent.type.name === "paragraph" && !$from.parent.content.size && $from.depth === 1;
  if (name === "maths" && emptyParagraph) return insertMathBlock(editor);
  const latex = name === "maths" ? editor.state.doc.textBetween(from, to, " ") : "";
  const at = name === "maths" ? from : to;
  editor
    .chain()
    .insertContentAt(name === "maths" ? { from, to } : at, { type: name, attrs: { latex } })
    .run();
  openAtom(editor, at);
}

/** Insert a displayed formula in place of an empty paragraph, else after the block at the caret. */
function insertMathBlock(editor: Editor): void {
  const { $from } = editor.state.selection;
  const empty = $from.depth === 1 && !$from.parent.content.size;
  const place = empty
    ? { from: $from.before(1), to: $from.after(1) }
    : $from.depth
      ? $from.after(1)
      : editor.state.selection.to;
  const at = typeof place === "number" ? place : place.from;
  editor
    .chain()
    .insertContentAt(place, { type: "mathBlock", attrs: { latex: "", env: "equation" } })
    .setNodeSelection(at)
    .run();
  editor.view.nodeDOM(at)?.dispatchEvent(new CustomEvent("open-block"));
}
