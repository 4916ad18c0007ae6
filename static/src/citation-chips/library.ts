import { askAbout } from "../cite-dialog/confirm";
import { keysOf } from "../cite-dialog/insert";
import { rowOfCited, rowOfPick, type Row } from "../cite-dialog/rows";
import { look, type Addresses } from "../cite-dialog/server";

/** What `<cite-dialog>` offers to whoever cites without it. */
export interface Dialog extends HTMLElement {
  open(options?: { inBraces?: boolean; words?: string }): void;
}

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
 * The references of the thesis that `words` find, best first; those added last for no words; what an identifier stands
 * for, if `words` are one. None where nobody can cite.
 */
export async function inLibrary(words: string, signal: AbortSignal): Promise<Row[]> {
  const at = addresses();
  if (!at) return [];
  const { picks, citations } = await look(at, words, signal);
  return picks.length ? picks.map(rowOfPick) : citations.map(rowOfCited);
}

/** The keys to cite for `row`, once everything that has to be asked about it is answered; null when it is left. */
export async function keysFor(row: Row): Promise<string[] | null> {
  const at = addresses();
  const question = dialog()?.querySelector<HTMLDialogElement>("[data-part=question]");
  if (!at || !question) return null;
  return keysOf(at, [row], (one) => askAbout(question, one));
}

let pending: (() => void) | null = null;

/**
 * Open the dialog with `words`. `take` is called right before the dialog's works are inserted, to take away what was
 * typed to find them; when nothing is inserted, it stays.
 */
export function searchElsewhere(words: string, take: () => void): void {
  pending = take;
  dialog()?.open({ words });
}

/** What was typed goes, if anything was. */
export function takeTyped(): void {
  pending?.();
  pending = null;
}

export function keepTyped(): void {
  pending = null;
}
