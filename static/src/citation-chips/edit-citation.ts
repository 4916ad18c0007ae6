import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { NodeSelection, Selection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { locatorText } from "../cite-dialog/cite-command";
import type { CiteAttributes } from "./chip";

/**
 * What a citation is once `keys` are cited in it too; `after` is the locator it has no room for, which needs a command
 * of its own.
 */
export function joined(
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
 * Cite `keys` on the page: at the caret, behind what is selected, or in the citation that is selected. `locator` as it
 * was typed.
 * The caret comes to stand behind the citation.
 */
export function citeInPage(editor: Editor, keys: readonly string[], command = "cite", locator = ""): void {
  const { selection, tr, schema } = editor.state;
  const type = schema.nodes.cite;
  if (!type || !keys.length) return;
  let where = locatorText(locator);
  if (selection instanceof NodeSelection && selection.node.type === type) {
    const { cite, after } = joined(selection.node.attrs as CiteAttributes, keys, locator);
    if (!after) {
      tr.setNodeMarkup(selection.from, undefined, cite, selection.node.marks);
      tr.setSelection(TextSelection.create(tr.doc, selection.to));
      return written(editor, tr);
    }
    where = after;
  }
  put(tr, selection.to, selection.to, type.create({ command, keys: [...keys], post: where || null }));
  written(editor, tr);
}

/** A citation is one step of undo, which joins nothing that is typed before or after it. */
export function written(editor: Editor, tr: Transaction): void {
  editor.view.dispatch(closeHistory(tr).scrollIntoView());
  editor.view.dispatch(closeHistory(editor.state.tr));
}

/** Put `cite` in the place of what stands from `from` to `to`, in the marks of the words there. */
export function put(tr: Transaction, from: number, to: number, cite: Node): void {
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
