import type { Editor } from "@tiptap/core";
import type { EditorState, Transaction } from "@tiptap/pm/state";
import { NodeSelection, Plugin, PluginKey, TextSelection } from "@tiptap/pm/state";
import { elsewhere, InlineList } from "./inline-results";
import { keysFor, searchElsewhere } from "./library";
import { put, written } from "./edit-citation";
import { tellCited } from "./notify-page";

/** What is being typed to find a work: from the sign that began it to the caret. */
export interface Typed {
  from: number;
  to: number;
  words: string;
  /** Of `\citep[see][p. 3]{`: the command and the options; null for `@`. */
  command: { name: string; options: string[] } | null;
}

const MOST = 80; // characters of words to search for
const AT = /^@([^\s@](?:[^@\ufffc]*))?$/;
const BRACES = /^\\([A-Za-z]*[cC]ite[A-Za-z]*\*?)((?:\[[^\][\ufffc]*\]){0,2})\{([^{}\\\ufffc]*)$/;
const OPENS = /\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\][\ufffc]*\]){0,2}\{$/;

const key = new PluginKey<Typed | null>("inlineCite");

/** The words of what was typed from the sign on; null when it is no search any more. */
export function wordsOf(typed: string): Pick<Typed, "words" | "command"> | null {
  if (typed.length > MOST) return null;
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

/** How many characters before the caret a search begins that was just opened by what was typed last; 0 for none. */
export function begins(before: string): number {
  if (/(^|[\s\u00a0([{"'“‘«„–—/])@$/.test(before)) return 1;
  return OPENS.exec(before)?.[0].length ?? 0;
}

/** `@` at a word's start, or `\cite{`, opens a list of the library at the caret; Esc leaves what was typed. */
export function inlineCite(editor: Editor): Plugin<Typed | null> {
  let list: InlineList | null = null;
  return new Plugin<Typed | null>({
    key,
    state: {
      init: () => null,
      apply: (tr, before, _old, state) => next(tr, before, state),
    },
    props: {
      handleKeyDown: (_view, event) => list?.pressed(event) ?? false,
      handleTextInput: (view, _from, to, text) => {
        const { selection, tr } = view.state;
        if (text === "}" && literal(editor, to)) return true;
        if (!(selection instanceof NodeSelection) || selection.node.type.name !== "cite") return false;
        // A letter typed while a citation is selected goes behind it: only Backspace and Delete take it away.
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

function next(tr: Transaction, before: Typed | null, state: EditorState): Typed | null {
  if (tr.getMeta(key) === "close") return null;
  if (!tr.docChanged && !tr.selectionSet) return before;
  const { selection, doc } = state;
  const { $from } = selection;
  if (!selection.empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const start = $from.start();
  const text = (from: number): string => doc.textBetween(from, selection.from, "\n", "\ufffc");
  if (before) {
    const from = tr.mapping.map(before.from, 1);
    const read = from >= start && from < selection.from ? wordsOf(text(from)) : null;
    return read && { from, to: selection.from, ...read };
  }
  // Only what was typed this moment opens it: not what is clicked at, pasted or brought back.
  if (
    !tr.docChanged ||
    tr.getMeta("paste") ||
    tr.getMeta("history$") ||
    tr.getMeta("uiEvent") ||
    tr.doc.content.size - tr.before.content.size !== 1
  )
    return null;
  const length = begins(text(Math.max(start, selection.from - MOST)));
  const from = selection.from - length;
  const read = length ? wordsOf(text(from)) : null;
  return read && { from, to: selection.from, ...read };
}

async function choose(
  editor: Editor,
  row: Parameters<typeof keysFor>[0] | typeof elsewhere,
  words: string,
): Promise<void> {
  const typed = key.getState(editor.state);
  if (!typed) return;
  const was = textOf(editor, typed);
  editor.view.dispatch(editor.state.tr.setMeta(key, "close"));
  if (row === elsewhere) {
    return searchElsewhere(words, () => {
      if (textOf(editor, typed) === was) editor.view.dispatch(editor.state.tr.delete(typed.from, typed.to));
    });
  }
  try {
    const keys = await keysFor(row);
    if (keys?.length && textOf(editor, typed) === was) insert(editor, typed, [...keysBefore(was), ...keys]);
  } finally {
    editor.view.focus();
  }
}

/** The keys that stand before the one that is being typed: `\cite{a, b, ste`. */
function keysBefore(typed: string): string[] {
  return typed.startsWith("@")
    ? []
    : split(typed.slice(typed.lastIndexOf("{") + 1)).slice(0, typed.includes(",") ? -1 : 0);
}

function split(keys: string): string[] {
  return keys.split(",").map((one) => one.trim());
}

/** `}` ends a command that was typed in full: it is the citation it says. */
function literal(editor: Editor, to: number): boolean {
  const typed = key.getState(editor.state);
  if (!typed?.command || typed.to !== to) return false;
  const was = textOf(editor, typed);
  const keys = split(was.slice(was.lastIndexOf("{") + 1)).filter((one) => /^[^\s%#~&$^"]+$/.test(one));
  if (!keys.length) return false;
  insert(editor, typed, keys);
  return true;
}

function insert(editor: Editor, typed: Typed, keys: readonly string[]): void {
  const { tr, schema } = editor.state;
  const { name = "cite", options = [] } = typed.command ?? {};
  const [pre, post] = options.length > 1 ? options : [null, options[0] ?? null];
  put(tr, typed.from, typed.to, schema.nodes.cite!.create({ command: name, keys: [...new Set(keys)], pre, post }));
  written(editor, tr);
  tellCited(keys);
}

function textOf(editor: Editor, { from, to }: Typed): string {
  const { doc } = editor.state;
  return to <= doc.content.size ? doc.textBetween(from, to, "\n", "\ufffc") : "";
}
