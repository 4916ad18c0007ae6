import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  completionStatus,
  startCompletion,
} from "@codemirror/autocomplete";
import { isolateHistory } from "@codemirror/commands";
import { Prec } from "@codemirror/state";
import { EditorView, keymap, type ViewUpdate } from "@codemirror/view";
import type { Row } from "../cite-dialog/rows";
import { searchLibrary, confirmedKeys, searchElsewhere } from "../citation-chips/library";
import { notifyCited } from "../citation-chips/notify-page";

const INSIDE = /\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\][\n]*\]){0,2}\{([^{}\\\n]*)$/;
const REST = /^([^{}\\\n]*)\}/;
const NEAR = 2_000;

interface KeyCompletion extends Completion {
  row?: Row;
}

/** Return the text typed in the braces of a cite command since the last comma; null outside of such braces. */
export function keyBefore(before: string): string | null {
  if (/(^|[^\\])(\\\\)*%/.test(before.slice(before.lastIndexOf("\n") + 1))) return null;
  const inside = INSIDE.exec(before)?.[1];
  return inside === undefined ? null : inside.slice(inside.lastIndexOf(",") + 1).trimStart();
}

/** Create the edit that replaces the typed `words` with `keys` and closes open braces. */
export function keyEdit(
  words: string,
  keys: readonly string[],
  after: string,
): { text: string; caret: number; back: number } {
  const rest = REST.exec(after);
  const later = (rest?.[1] ?? "").trim();
  const comma = later && !later.startsWith(",") ? "," : "";
  const text = `${keys.join(",")}${comma}${rest ? "" : "}"}`;
  return { text, caret: text.length + (rest && !later ? rest[0].length : 0), back: words.length };
}

/** The extensions that complete keys of the library in the braces of a cite command. */
export const keyCompletion = [
  autocompletion({
    override: [completeKeys as CompletionSource],
    activateOnTypingDelay: 0,
    interactionDelay: 0,
    icons: false,
    addToOptions: [{ render: (completion: KeyCompletion) => drawBadge(completion.row), position: 90 }],
  }),
  // Enter right after typing waits for the pending completions.
  Prec.highest(
    keymap.of([
      {
        key: "Enter",
        run: (view) => {
          if (completionStatus(view.state) !== "pending" || !wordsAt(view)) return false;
          const { doc, selection } = view.state;
          const take = (): void => {
            if (view.state.doc !== doc || !view.state.selection.eq(selection)) return;
            if (completionStatus(view.state) === "pending") setTimeout(take, 20);
            else acceptCompletion(view);
          };
          take();
          return true;
        },
      },
    ]),
  ),
  // A typed brace does not start a completion by itself.
  EditorView.updateListener.of((update: ViewUpdate) => {
    if (
      !update.docChanged ||
      completionStatus(update.state) ||
      !update.transactions.some((one) => one.isUserEvent("input.type") || one.isUserEvent("input.paste"))
    )
      return;
    const { head } = update.state.selection.main;
    if (keyBefore(update.state.sliceDoc(Math.max(0, head - NEAR), head)) !== null) startCompletion(update.view);
  }),
];

function wordsAt({ state }: EditorView): string {
  const { head } = state.selection.main;
  return keyBefore(state.sliceDoc(Math.max(0, head - NEAR), head)) ?? "";
}

async function completeKeys(context: CompletionContext): Promise<CompletionResult | null> {
  const words = keyBefore(context.state.sliceDoc(Math.max(0, context.pos - NEAR), context.pos));
  if (words === null) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort(), { onDocChange: true });
  let rows: Row[] = [];
  try {
    rows = await searchLibrary(words, stop.signal);
  } catch {
    // Without an answer the typed text stays, and the last row still opens the dialog.
  }
  if (context.aborted) return null;
  const options: KeyCompletion[] = rows.map((row) => ({
    label: row.key || row.title,
    detail: row.key ? `${row.short} · ${row.title}` : row.container,
    row,
    apply: applyRow,
  }));
  const elsewhere = words ? `Search PubMed and Crossref for “${words}”` : "Search PubMed and Crossref";
  options.push({ label: elsewhere, apply: openDialog });
  return { from: context.pos - words.length, options, filter: false };
}

function applyRow(view: EditorView, completion: KeyCompletion): void {
  const { row } = completion;
  if (row)
    void confirmedKeys(row)
      .then(
        (keys) => keys && insertKeys(view, keys),
        () => undefined,
      )
      .finally(() => view.focus());
}

function insertKeys(view: EditorView, keys: readonly string[]): void {
  const { head } = view.state.selection.main;
  const words = wordsAt(view);
  const edit = keyEdit(words, keys, view.state.sliceDoc(head, head + NEAR));
  const from = head - edit.back;
  view.dispatch({
    changes: { from, to: head, insert: edit.text },
    selection: { anchor: from + edit.caret },
    userEvent: "input.complete",
    annotations: isolateHistory.of("full"),
    scrollIntoView: true,
  });
  notifyCited(keys);
}

function openDialog(view: EditorView): void {
  const words = wordsAt(view);
  searchElsewhere(words, () => {
    const at = view.state.selection.main.head;
    if (words && view.state.sliceDoc(at - words.length, at) === words) {
      view.dispatch({ changes: { from: at - words.length, to: at }, userEvent: "delete" });
    }
  });
}

function drawBadge(row: Row | undefined): HTMLElement | null {
  if (!row) return null;
  const element = document.createElement("span");
  element.className = "cm-badge";
  element.dataset.tier = row.badge.tier;
  element.textContent = row.badge.letter || row.badge.words;
  return element;
}
