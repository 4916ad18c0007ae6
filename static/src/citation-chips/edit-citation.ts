import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { NodeSelection, Selection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { locatorText } from "../cite-dialog/cite-command";
import type { CiteAttributes } from "./chip";

/**
 * Add `keys` to a citation. When it already has a locator, it stays as it is and `after` is the new locator, which
 * needs a command of its own.
 */
export function addKeys(
  cite: CiteAttributes,
  keys: readonly string[],
  locator = "",
): { cite: CiteAttributes; after: string } {
  const where = locatorText(locator);
  if (where && cite.post !== null) return { cite, after: where };
  const all = [...cite.keys, ...keys.filter((key) => !cite.keys.includes(key))];
  return { cite: { ...cite, keys: all, post: where || cite.post, source: null }, after: "" };
}

/**
 * Cite `keys` in the visual editor: at the caret, after the selected text, or in the selected citation. `locator` is
 * the text as typed. The caret ends up after the citation.
 */
export function citeInPage(editor: Editor, keys: readonly string[], command = "cite", locator = ""): void {
  const { selection, tr, schema } = editor.state;
  const type = schema.nodes.cite;
  if (!type || !keys.length) return;
  let where = locatorText(locator);
  if (selection instanceof NodeSelection && selection.node.type === type) {
    const { cite, after } = addKeys(selection.node.attrs as CiteAttributes, keys, locator);
    if (!after) {
      tr.setNodeMarkup(selection.from, undefined, cite, selection.node.marks);
      tr.setSelection(TextSelection.create(tr.doc, selection.to));
      return dispatchAsUndoStep(editor, tr);
    }
    where = after;
  }
  replaceWithCitation(tr, selection.to, selection.to, type.create({ command, keys: [...keys], post: where || null }));
  dispatchAsUndoStep(editor, tr);
}

/** Dispatch a transaction as an undo step of its own, separate from typing before and after. */
export function dispatchAsUndoStep(editor: Editor, tr: Transaction): void {
  editor.view.dispatch(closeHistory(tr).scrollIntoView());
  editor.view.dispatch(closeHistory(editor.state.tr));
}

/** Replace the range from `from` to `to` with `cite`, keeping the marks there. */
export function replaceWithCitation(tr: Transaction, from: number, to: number, cite: Node): void {
  if (from < to) tr.delete(from, to);
  let place = tr.doc.resolve(from);
  if (!place.parent.inlineContent || !place.parent.canReplaceWith(place.index(), place.index(), cite.type)) {
    place = Selection.near(place, 1).$to; // beside a figure or a formula, say
  }
  if (!place.parent.inlineContent) {
    const paragraph = tr.doc.type.schema.nodes.paragraph!.create(null, cite);
    tr.insert(tr.doc.content.size, paragraph);
    tr.setSelection(Selection.atEnd(tr.doc));
    return;
  }
  tr.insert(place.pos, cite.mark(tr.storedMarks ?? place.marks()));
  tr.setSelection(TextSelection.create(tr.doc, place.pos + cite.nodeSize));
}
