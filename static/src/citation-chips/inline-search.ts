import type { Editor } from "@tiptap/core";
import type { EditorState, Transaction } from "@tiptap/pm/state";
import { NodeSelection, Plugin, PluginKey, TextSelection } from "@tiptap/pm/state";
import { elsewhere, InlineList } from "./inline-results";
import { confirmedKeys, searchElsewhere } from "./library";
import { replaceWithCitation, dispatchAsUndoStep } from "./edit-citation";
import { notifyCited } from "./notify-page";

/** The search being typed: from its opening characters to the caret. */
export interface InlineSearch {
  from: number;
  to: number;
  words: string;
  /** The command and options of `\citep[see][p. 3]{`; null for `@`. */
  command: { name: string; options: string[] } | null;
}

const MAX_LENGTH = 80; // characters of words to search for
const AT = /^@([^\s@](?:[^@\ufffc]*))?$/;
const BRACES = /^\\([A-Za-z]*[cC]ite[A-Za-z]*\*?)((?:\[[^\][\ufffc]*\]){0,2})\{([^{}\\\ufffc]*)$/;
const OPENS = /\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\][\ufffc]*\]){0,2}\{$/;

const key = new PluginKey<InlineSearch | null>("inlineCite");

/** Parse the typed text from the opening characters on; null when it is no longer a search. */
export function parseSearch(typed: string): Pick<InlineSearch, "words" | "command"> | null {
  if (typed.length > MAX_LENGTH) return null;
  const at = AT.exec(typed);
  if (at) return { words: at[1] ?? "", command: null };
  const braces = BRACES.exec(typed);
  if (!braces) return null;
  const options = [...braces[2]!.matchAll(/\[([^\]]*)\]/g)].map((one) => one[1]!);
  return {
    words: braces[3]!.slice(braces[3]!.lastIndexOf(",") + 1).trimStart(),
    command: { name: braces[1]!, options },
  };
}

/** Return the length of the opening characters right before the caret that start a search; 0 for none. */
export function openingLength(before: string): number {
  if (/(^|[\s\u00a0([{"'“‘«„–—/])@$/.test(before)) return 1;
  return OPENS.exec(before)?.[0].length ?? 0;
}

/** Create the plugin that opens the list at the caret for `@` at a word's start or `\cite{`. Esc keeps the text. */
export function inlineCite(editor: Editor): Plugin<InlineSearch | null> {
  let list: InlineList | null = null;
  return new Plugin<InlineSearch | null>({
    key,
    state: {
      init: () => null,
      apply: (tr, before, _old, state) => nextState(tr, before, state),
    },
    props: {
      handleKeyDown: (_view, event) => list?.keyPressed(event) ?? false,
      handleTextInput: (view, _from, to, text) => {
        const { selection, tr } = view.state;
        if (text === "}" && citeTypedCommand(editor, to)) return true;
        if (!(selection instanceof NodeSelection) || selection.node.type.name !== "cite") return false;
        // Typing while a citation is selected inserts after it; only Backspace and Delete remove it.
        tr.setSelection(TextSelection.create(tr.doc, selection.to)).insertText(text);
        view.dispatch(tr.scrollIntoView());
        return true;
      },
      handleDOMEvents: {
        blur: (view) => {
          if (key.getState(view.state)) view.dispatch(view.state.tr.setMeta(key, "close"));
          return false;
        },
      },
    },
    view: (view) => {
      list = new InlineList(
        view.dom,
        (row, words) => choose(editor, row, words),
        () => view.dispatch(view.state.tr.setMeta(key, "close")),
      );
      return {
        update: () => {
          const typed = key.getState(view.state) ?? null;
          if (typed) list?.show(typed.words, view.coordsAtPos(typed.from));
          else list?.hide();
        },
        destroy: () => list?.destroy(),
      };
    },
  });
}

function nextState(tr: Transaction, before: InlineSearch | null, state: EditorState): InlineSearch | null {
  if (tr.getMeta(key) === "close") return null;
  if (!tr.docChanged && !tr.selectionSet) return before;
  const { selection, doc } = state;
  const { $from } = selection;
  if (!selection.empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const start = $from.start();
  const text = (from: number): string => doc.textBetween(from, selection.from, "\n", "\ufffc");
  if (before) {
    const from = tr.mapping.map(before.from, 1);
    const read = from >= start && from < selection.from ? parseSearch(text(from)) : null;
    return read && { from, to: selection.from, ...read };
  }
  // Only typing opens the list, not clicking, pasting or undo.
  if (
    !tr.docChanged ||
    tr.getMeta("paste") ||
    tr.getMeta("history$") ||
    tr.getMeta("uiEvent") ||
    tr.doc.content.size - tr.before.content.size !== 1
  )
    return null;
  const length = openingLength(text(Math.max(start, selection.from - MAX_LENGTH)));
  const from = selection.from - length;
  const read = length ? parseSearch(text(from)) : null;
  return read && { from, to: selection.from, ...read };
}

async function choose(
  editor: Editor,
  row: Parameters<typeof confirmedKeys>[0] | typeof elsewhere,
  words: string,
): Promise<void> {
  const typed = key.getState(editor.state);
  if (!typed) return;
  const was = searchText(editor, typed);
  editor.view.dispatch(editor.state.tr.setMeta(key, "close"));
  if (row === elsewhere) {
    return searchElsewhere(words, () => {
      if (searchText(editor, typed) === was) editor.view.dispatch(editor.state.tr.delete(typed.from, typed.to));
    });
  }
  try {
    const keys = await confirmedKeys(row);
    if (keys?.length && searchText(editor, typed) === was) insert(editor, typed, [...keysBefore(was), ...keys]);
  } finally {
    editor.view.focus();
  }
}

/** Return the keys before the one being typed: `\cite{a, b, ste`. */
function keysBefore(typed: string): string[] {
  return typed.startsWith("@")
    ? []
    : splitKeys(typed.slice(typed.lastIndexOf("{") + 1)).slice(0, typed.includes(",") ? -1 : 0);
}

function splitKeys(keys: string): string[] {
  return keys.split(",").map((one) => one.trim());
}

/** Turn a command that was typed in full into a citation when `}` is typed. */
function citeTypedCommand(editor: Editor, to: number): boolean {
  const typed = key.getState(editor.state);
  if (!typed?.command || typed.to !== to) return false;
  const was = searchText(editor, typed);
  const keys = splitKeys(was.slice(was.lastIndexOf("{") + 1)).filter((one) => /^[^\s%#~&$^"]+$/.test(one));
  if (!keys.length) return false;
  insert(editor, typed, keys);
  return true;
}

function insert(editor: Editor, typed: InlineSearch, keys: readonly string[]): void {
  const { tr, schema } = editor.state;
  const { name = "cite", options = [] } = typed.command ?? {};
  const [pre, post] = options.length > 1 ? options : [null, options[0] ?? null];
  replaceWithCitation(
    tr,
    typed.from,
    typed.to,
    schema.nodes.cite!.create({ command: name, keys: [...new Set(keys)], pre, post }),
  );
  dispatchAsUndoStep(editor, tr);
  notifyCited(keys);
}

function searchText(editor: Editor, { from, to }: InlineSearch): string {
  const { doc } = editor.state;
  return to <= doc.content.size ? doc.textBetween(from, to, "\n", "\ufffc") : "";
}
