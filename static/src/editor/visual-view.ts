import { Editor } from "@tiptap/core";
import { Dropcursor, Gapcursor, UndoRedo } from "@tiptap/extensions";
import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { NodeSelection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { Cite } from "../citation-chips/cite-node";
import { citeInPage } from "../citation-chips/edit-citation";
import { toDocument, toLatex, type Read } from "../latex";
import { canDo, runAction, isOn } from "./toolbar-actions";
import { atoms, controls, opening } from "./inline-chips";
import { blocks } from "./blocks";
import { Figure } from "./figure";
import { FoundWords, visualFinder } from "./find-words";
import { Highlights, highlightsKey, findWords, type Highlight } from "./highlights";
import { insertLatex, insertPicture, insertTransfer } from "./insert-latex";
import { Keys } from "./keys";
import { marks as textMarks } from "./marks";
import { cleanHTML } from "./paste";
import { numbersKey, Numbers, type Numbered } from "./numbers";
import { setPicturesAddress } from "./pictures";
import { MathBlock, RawBlock } from "./raw-block";
import { table } from "./table";
import { insertTable } from "./table-commands";
import { Footnotes } from "./footnotes";
import { wordsField } from "./words-field";
import { referToPartsOf } from "./cross-reference-targets";
import { printedCommands } from "./printed-commands";
import { TypedQuotes } from "./typed-quotes";
import { findPlace, type Caret, type ViewHost, type Mark, type Place, type SelectedText, type View } from "./view";
import { LatexWriter } from "./document-to-latex";

controls.words = { control: wordsField };

const LONGEST = 400_000; // characters of a text in the visual view
const MOST_BLOCKS = 3_000;
const LONG_PASTE = 500_000; // characters of HTML that are pasted with a message

/** A reason why a text cannot be shown in the visual view. */
export interface ViewFault {
  message: string;
  line?: number;
  offset?: number;
}

const extensions = [
  ...blocks,
  ...atoms,
  ...textMarks,
  ...table,
  Figure,
  RawBlock,
  MathBlock,
  Cite,
  Keys,
  Highlights,
  FoundWords,
  Numbers,
  Footnotes,
  TypedQuotes,
  UndoRedo.configure({ newGroupDelay: 500 }),
  Dropcursor.configure({ color: false, class: "drop-cursor" }),
  Gapcursor,
];

/** Parse a text for the visual view, or return why it cannot be shown there. */
export function parseForVisual(latex: string): { read: Read } | { closed: ViewFault[] } {
  if (latex.length > LONGEST) {
    return {
      closed: [
        { message: "This section is longer than 400,000 characters. It opens as LaTeX, so that typing stays quick." },
      ],
    };
  }
  const read = toDocument(latex);
  if (read.faults.length) return { closed: read.faults };
  if (read.doc.content.length > MOST_BLOCKS) {
    return {
      closed: [
        { message: "This section has more than 3,000 paragraphs. It opens as LaTeX, so that typing stays quick." },
      ],
    };
  }
  if (toLatex(read.doc, read.tail, read.newline) !== latex) {
    return {
      closed: [
        {
          message:
            "The visual view cannot preserve this text exactly. It opens as LaTeX, so that nothing changes " +
            "by itself.",
        },
      ],
    };
  }
  return { read };
}

/** The visual view. */
export interface VisualView extends View {
  readonly tiptap: Editor;
  picture(file: File): void;
  table(rows: number, columns: number): void;
  number(list: readonly Numbered[]): void;
}

/** Create the visual view. `read` comes from `parseForVisual`. Throws when the document does not fit the schema. */
export function visualView(host: ViewHost, read: Read): VisualView {
  const writer = new LatexWriter(read.tail, read.newline);
  let highlighted: readonly Mark[] = [];
  let quiet = false; // true while the program changes the text
  const paper = document.createElement("div");
  paper.className = "paper";
  host.place.append(paper);

  printedCommands.of(host.editor);
  setPicturesAddress(host.editor.getAttribute("pictures") ?? "");
  opening.now = true;
  const editor = new Editor({
    element: paper,
    extensions,
    injectCSS: false,
    enableCoreExtensions: { delete: false },
    content: null,
    onBeforeCreate: ({ editor: made }) => {
      const doc = made.schema.nodeFromJSON(read.doc);
      doc.check();
      writer.adoptRead(doc, read.tail, read.newline);
      made.options.content = doc as never;
    },
    editorProps: {
      attributes: {
        class: "visual",
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": host.box.labels?.[0]?.textContent?.replace(", as LaTeX", "") ?? "Text",
        lang: host.box.lang,
        spellcheck: "true",
      },
      transformPastedHTML: cleanHTML,
      handlePaste: (view, event) => {
        const html = event.clipboardData?.getData("text/html") ?? "";
        if (html.length < LONG_PASTE)
          return insertTransfer(editor, event.clipboardData, { host: host.editor, announce: host.announce });
        // The page stands still for seconds while so much is read, so it is said before.
        const text = "Pasting a long text. This can take some seconds.";
        document.dispatchEvent(new CustomEvent("toast", { detail: { text } }));
        setTimeout(() => !view.isDestroyed && view.pasteHTML(html), 100);
        return true;
      },
      handleDrop: (view, event, _slice, moved) => {
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        if (moved || at === undefined || !event.dataTransfer?.files.length) return false;
        const $at = view.state.doc.resolve(at);
        return insertTransfer(
          editor,
          event.dataTransfer,
          { host: host.editor, announce: host.announce },
          $at.depth ? $at.after(1) : at,
        );
      },
    },
    onUpdate: () => {
      paper.classList.toggle("is-empty", isEmpty(editor.state.doc));
      finder.textChanged();
      if (!quiet) host.onEdit();
    },
    onSelectionUpdate: () => {
      finder.selectionChanged();
      host.onCaretMove();
    },
  });
  opening.now = false;
  referToPartsOf(editor);
  const finder = visualFinder(editor);
  paper.classList.toggle("is-empty", isEmpty(editor.state.doc));

  const doc = (): Node => editor.state.doc;
  const dispatchQuietly = (tr: Transaction): void => {
    quiet = true;
    editor.view.dispatch(tr);
    quiet = false;
  };
  /** Return the document position of a block. */
  const positionOf = (index: number): number => {
    let at = 0;
    for (let before = 0; before < index; before++) at += doc().child(before).nodeSize;
    return at;
  };

  /** Find the document positions of a LaTeX range: its words where they are found, else whole blocks. */
  function documentRanges({
    start,
    end,
  }: {
    start: number;
    end: number;
  }): { from: number; to: number; whole: boolean }[] {
    const [first, last] = [writer.indexAt(doc(), start), writer.indexAt(doc(), Math.max(start, end - 1))];
    const latex = writer.latex(doc());
    const places = [];
    for (let index = first; index <= last && index < doc().childCount; index++) {
      const block = doc().child(index);
      const at = positionOf(index);
      const span = writer.span(doc(), index);
      const words = latex.slice(Math.max(start, span.from), Math.min(end, span.end));
      const found = words.length < span.end - span.from ? findWords(block, at, words) : null;
      places.push(found ? { ...found, whole: false } : { from: at, to: at + block.nodeSize, whole: true });
    }
    return places;
  }

  function paint(): void {
    const list: Highlight[] = highlighted.flatMap((mark) =>
      documentRanges(mark).map((place) => ({ ...place, id: mark.id })),
    );
    dispatchQuietly(editor.state.tr.setMeta(highlightsKey, list).setMeta("addToHistory", false));
  }

  return {
    kind: "visual",
    tiptap: editor,
    finder,
    get latex() {
      return writer.latex(doc());
    },
    get caret(): Caret {
      const { $from, from } = editor.state.selection;
      const { start, end } = this.selected;
      const before = $from.parent.inlineContent
        ? $from.parent.textBetween(0, $from.parentOffset, "", "\ufffc").slice(-200)
        : "";
      const { left, top, bottom } = editor.view.coordsAtPos(from);
      return { start, end, before, rect: new DOMRect(left, top, 0, bottom - top) };
    },
    get selected(): SelectedText {
      const { $from, $to, empty, from, to } = editor.state.selection;
      const latex = writer.latex(doc());
      const [first, last] = [
        writer.span(doc(), $from.index(0)),
        writer.span(doc(), Math.min($to.index(0), doc().childCount - 1)),
      ];
      if (!empty && $from.index(0) === $to.index(0)) {
        // Use the exact words when they occur literally and only once in the block's LaTeX.
        const words = doc().textBetween(from, to, " ", " ");
        const block = latex.slice(first.from, first.end);
        const at = words ? block.indexOf(words) : -1;
        if (at >= 0 && block.indexOf(words, at + 1) < 0)
          return { start: first.from + at, end: first.from + at + words.length, text: words };
      }
      return { start: first.from, end: last.end, text: latex.slice(first.from, last.end) };
    },
    get marks() {
      return highlighted;
    },
    set marks(list: readonly Mark[]) {
      highlighted = list;
      paint();
    },
    replace(text, { undoable = false } = {}) {
      const next = toDocument(text);
      const newDoc = editor.schema.nodeFromJSON(next.doc);
      const old = doc();
      let same = 0;
      const shorter = Math.min(old.childCount, newDoc.childCount);
      const oldParts = latexParts(writer, old);
      const newParts = next.doc.content.map(({ attrs }) => (attrs?.before ?? "") + (attrs?.source ?? ""));
      while (same < shorter && oldParts[same] === newParts[same]) same++;
      let tail = 0;
      while (tail < shorter - same && oldParts[oldParts.length - 1 - tail] === newParts[newParts.length - 1 - tail])
        tail++;
      const from = positionOf(same);
      const to = positionOf(old.childCount - tail);
      const { tr } = editor.state;
      if (from !== to || newDoc.childCount > same + tail) {
        tr.replaceWith(from, to, newDoc.content.content.slice(same, newDoc.childCount - tail) as Node[]);
      }
      dispatchQuietly(undoable ? closeHistory(tr) : tr.setMeta("addToHistory", false));
      writer.adopt(doc(), newParts, next.tail, next.newline);
      paint();
      // later typing must not join this undo step
      if (undoable) dispatchQuietly(closeHistory(editor.state.tr));
    },
    insert: (latex) => void insertLatex(editor, latex),
    insertCite: (keys, command, locator) => citeInPage(editor, keys, command, locator),
    focus: () => editor.view.focus(),
    show(place: Place) {
      const span = findPlace(writer.latex(doc()), place);
      const [found] = span ? documentRanges(span) : [];
      if (!found) return;
      const { tr } = editor.state;
      const $at = tr.doc.resolve(found.from + (found.whole ? 1 : 0));
      const atom = tr.doc.nodeAt(found.from);
      if (found.whole && atom?.isAtom) tr.setSelection(NodeSelection.create(tr.doc, found.from));
      else if (found.whole) tr.setSelection(TextSelection.near($at));
      else tr.setSelection(TextSelection.create(tr.doc, found.from, found.to));
      editor.view.dispatch(tr);
      editor.view.focus();
      const shown = editor.view.domAtPos(found.from + (found.whole && !atom?.isAtom ? 1 : 0)).node;
      (shown instanceof Element ? shown : shown.parentElement)?.scrollIntoView({ block: "center" });
    },
    canRun: (act) => canDo(editor, act),
    isActive: (act) => isOn(editor, act),
    run: (act) => runAction(editor, act),
    number(list) {
      const blocks = new Map<number, string>(); // for a figure with parts, the first number is the figure's own
      for (const { kind, number, start } of list) {
        const index = writer.indexAt(doc(), start);
        if (kind !== "equation" && index < doc().childCount && !blocks.has(index)) blocks.set(index, number);
      }
      const items = [...blocks].map(([index, number]) => {
        const from = positionOf(index);
        return { from, to: from + doc().child(index).nodeSize, number };
      });
      dispatchQuietly(editor.state.tr.setMeta(numbersKey, items).setMeta("addToHistory", false));
    },
    table: (rows, columns) => insertTable(editor, rows, columns),
    picture: (file) => void insertPicture(editor, file, { host: host.editor, announce: host.announce }),
    destroy() {
      editor.destroy();
      paper.remove();
    },
  };
}

function isEmpty(doc: Node): boolean {
  return doc.childCount === 1 && doc.firstChild!.isTextblock && !doc.firstChild!.content.size;
}

function latexParts(written: LatexWriter, doc: Node): string[] {
  const latex = written.latex(doc);
  return Array.from({ length: doc.childCount }, (_, index) => {
    const { start, end } = written.span(doc, index);
    return latex.slice(start, end);
  });
}
