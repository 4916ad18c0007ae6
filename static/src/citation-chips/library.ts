import { confirmCitation } from "../cite-dialog/confirm";
import { keysToCite } from "../cite-dialog/insert";
import { rowOfReference, rowOfEntry, type Row } from "../cite-dialog/rows";
import { lookUp, type Addresses } from "../cite-dialog/server";

/** The parts of `<cite-dialog>` that inline citing needs. */
export interface Dialog extends HTMLElement {
  open(options?: { inBraces?: boolean; words?: string }): void;
}

/** Return the dialog of the page. */
export function dialog(): Dialog | null {
  return document.querySelector<Dialog>("cite-dialog");
}

function addresses(): Addresses | null {
  const found = dialog();
  if (!found) return null;
  const named = (name: string) => found.getAttribute(name) ?? "";
  return { look: named("look"), search: named("search"), add: named("add") };
}

/**
 * Search the references of the thesis, best match first. Without words return those added last; for an identifier
 * return its work. Empty on a page without the dialog.
 */
export async function searchLibrary(words: string, signal: AbortSignal): Promise<Row[]> {
  const at = addresses();
  if (!at) return [];
  const { picks, citations } = await lookUp(at, words, signal);
  return picks.length ? picks.map(rowOfEntry) : citations.map(rowOfReference);
}

/** Return the keys to cite for `row` after any confirmation; null when the person cancels. */
export async function confirmedKeys(row: Row): Promise<string[] | null> {
  const at = addresses();
  const question = dialog()?.querySelector<HTMLDialogElement>("[data-part=question]");
  if (!at || !question) return null;
  return keysToCite(at, [row], (one) => confirmCitation(question, one));
}

let removePending: (() => void) | null = null;

/**
 * Open the dialog with `words`. `removeTyped` is called right before its works are inserted, to remove the typed
 * search; when nothing is inserted, the typed text stays.
 */
export function searchElsewhere(words: string, removeTyped: () => void): void {
  removePending = removeTyped;
  dialog()?.open({ words });
}

/** Remove the typed search, if there is one. */
export function removeTypedSearch(): void {
  removePending?.();
  removePending = null;
}

/** Keep the typed search in the text. */
export function keepTypedSearch(): void {
  removePending = null;
}
