import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { Fragment, type Node } from "@tiptap/pm/model";
import { PluginKey, TextSelection, type Transaction } from "@tiptap/pm/state";
import { Decoration, type DecorationSet } from "@tiptap/pm/view";
import { createFinder, type FinderOfView, type FoundRange } from "../find/finder";
import { asTyped, wordsPattern } from "../find/words-pattern";
import { commentOf } from "./comment-mark";
import { decorationExtension } from "./decorations";

const FOUND = "found-words"; // the highlight of all matches (static/css/find.css)

const foundKey = new PluginKey<DecorationSet>("found");

/** The extension that marks the current match. The others are highlighted without taking the text apart. */
export const FoundWords = decorationExtension("found", foundKey, ({ from, to }: FoundRange) =>
  Decoration.inline(from, to, { class: "found-word" }),
);

/** Find the words of a text that are seen, across bold and italic letters. Citations and formulas are no words. */
export function findInDocument(doc: Node, pattern: RegExp): FoundRange[] {
  const found: FoundRange[] = [];
  doc.descendants((node, at) => {
    if (!node.isTextblock) return true;
    // Everything that is not text is one position long, so places in the string are places in the block.
    const text = node.textBetween(0, node.content.size, "", (leaf) =>
      leaf.type.name === "softBreak" ? " " : leaf.type.name === "hardBreak" ? "\n" : "\uFFFC",
    );
    for (const { index, 0: words } of text.matchAll(pattern))
      found.push({ from: at + 1 + index, to: at + 1 + index + words.length });
    return false;
  });
  return found;
}

/** Count the matches in LaTeX that the visual view does not show as words: folded source, footnotes, captions. */
export function countHidden(doc: Node, pattern: RegExp): number {
  let number = 0;
  doc.descendants((node) => {
    const { latex, caption, notes } = node.attrs as Record<string, unknown>;
    const isSource = ["rawBlock", "raw", "footnote"].includes(node.type.name);
    for (const text of [isSource ? latex : null, caption, notes]) {
      if (typeof text !== "string" || commentOf(text) !== null) continue;
      number += [...text.replace(/\\([%&#_$])/g, "$1").matchAll(pattern)].length;
    }
  });
  return number;
}

/** Replace ranges by `words`, with one step for each block, since thousands of steps would take seconds. */
function replaceRanges(tr: Transaction, ranges: readonly FoundRange[], words: string): void {
  const { doc } = tr;
  let end = ranges.length;
  while (end > 0) {
    const { parent } = doc.resolve(ranges[end - 1]!.from);
    const base = doc.resolve(ranges[end - 1]!.from).start();
    let start = end - 1;
    while (start > 0 && ranges[start - 1]!.from >= base) start--;
    const here = ranges.slice(start, end);
    const pieces: Node[] = [];
    here.forEach(({ from, to }, index) => {
      const marks = doc.resolve(from).marksAcross(doc.resolve(to)) ?? [];
      if (words) pieces.push(doc.type.schema.text(words, marks));
      const next = here[index + 1];
      if (next) parent.content.cut(to - base, next.from - base).forEach((node) => void pieces.push(node));
    });
    tr.replaceWith(here[0]!.from, here[here.length - 1]!.to, Fragment.fromArray(pieces));
    end = start;
  }
}

/** Create the finder of the visual view. */
export function visualFinder(editor: Editor): FinderOfView {
  /** Mark the current match in a transaction. */
  function marked(tr: Transaction, current: FoundRange | undefined): Transaction {
    return tr.setMeta(foundKey, current ? [current] : []).setMeta("addToHistory", false);
  }

  /** Highlight all matches. */
  function paint(matches: readonly FoundRange[]): void {
    if (!("highlights" in CSS)) return;
    if (!matches.length) return void CSS.highlights.delete(FOUND);
    const ranges = matches.map(({ from, to }) => {
      const [start, end] = [editor.view.domAtPos(from, 1), editor.view.domAtPos(to, -1)];
      return new StaticRange({
        startContainer: start.node,
        startOffset: start.offset,
        endContainer: end.node,
        endOffset: end.offset,
      });
    });
    CSS.highlights.set(FOUND, new Highlight(...ranges));
  }

  return createFinder({
    selection: () => editor.state.selection,
    selectedWords() {
      const { from, to, $from, $to } = editor.state.selection;
      return $from.sameParent($to) ? editor.state.doc.textBetween(from, to, "\n", "\uFFFC") : "";
    },
    find(query) {
      const pattern = query && wordsPattern(query);
      if (!pattern) return { matches: [], hidden: 0 };
      const { doc } = editor.state;
      return { matches: findInDocument(doc, pattern), hidden: countHidden(doc, pattern) };
    },
    mark(matches, current) {
      editor.view.dispatch(marked(editor.state.tr, matches[current]));
      paint(matches);
    },
    select(match, matches) {
      const { tr } = editor.state;
      tr.setSelection(TextSelection.create(tr.doc, match.from, match.to));
      editor.view.dispatch(marked(tr, match));
      paint(matches); // the mark made new nodes
      const shown = editor.view.domAtPos(match.from + 1).node;
      (shown instanceof Element ? shown : shown.parentElement)?.scrollIntoView({ block: "center" });
    },
    /** The text gets the marks of the first letters that it replaces. */
    write(ranges, text) {
      const tr = closeHistory(editor.state.tr);
      const words = asTyped(text);
      replaceRanges(tr, ranges, words);
      // After the replacement, so that one which contains the words is not found again.
      const at = ranges[0]!.from + (ranges.length > 1 ? 0 : words.length);
      tr.setSelection(TextSelection.create(tr.doc, at));
      editor.view.dispatch(tr);
      editor.view.dispatch(closeHistory(editor.state.tr));
    },
  });
}
