import { anchorOf, findQuote, paragraphAt, type Anchor, type Span } from "./comment-places";

/** The range of a comment in the text. */
export interface Mark extends Span {
  id: string;
}

/** What a new comment is about. A page without LaTeX sends the words it shows, with their place in a version. */
export interface NewAnchor extends Anchor {
  end?: number;
  version?: string;
}

/** The text of the page: in the editor, as read-only LaTeX, or as set text. */
export interface PageText {
  /** Return the place of a thread's words; undefined when they are gone. */
  placeOf(thread: HTMLElement): Span | undefined;
  /** Return the anchor of the selection, else of the paragraph at the caret; undefined without either. */
  anchor(): NewAnchor | undefined;
  paint(marks: Mark[]): void;
  show(place: Span): void;
  /** Call `tell` with the caret position on each click. */
  onClick(listener: (at: number) => void): void;
}

/** A text that the page holds as LaTeX. */
interface LatexText extends Pick<PageText, "paint" | "show" | "onClick"> {
  readonly latex: string;
  readonly selected: Span | undefined;
}

/** Find places in a LaTeX text by their words; it may be newer than the server's. */
function byWords(text: LatexText): PageText {
  return {
    placeOf: ({ dataset }) => findQuote(text.latex, dataset.words ?? "", Number(dataset.start)),
    anchor() {
      let span = text.selected;
      if (span && span.start === span.end) span = paragraphAt(text.latex, span.start);
      return span && anchorOf(text.latex, span);
    },
    paint: (marks) => text.paint(marks),
    show: (place) => text.show(place),
    onClick: (listener) => text.onClick(listener),
  };
}

interface Editor extends HTMLElement {
  readonly latex: string;
  readonly selected: Span;
  readonly caret: Span;
  marks: readonly Mark[];
  show(place: { quote: string; before: string; after: string } | number): void;
}

/** Return the text of this page, if there is one. */
export async function pageText(): Promise<PageText | undefined> {
  const editor = document.querySelector<Editor>("section-editor");
  if (editor) {
    await customElements.whenDefined("section-editor");
    return byWords(inEditor(editor));
  }
  const pre = document.querySelector<HTMLElement>("#text pre.latex");
  return pre ? byWords(inPlainText(pre)) : undefined;
}

function inEditor(editor: Editor): LatexText {
  // The last selection: a click on a button may clear the current one.
  let last: Span | undefined;
  editor.addEventListener("selected", (event) => (last = (event as CustomEvent<Span>).detail));
  return {
    get latex() {
      return editor.latex;
    },
    get selected() {
      const now = editor.selected;
      return now.end > now.start ? now : (last ?? now);
    },
    paint: (marks) => (editor.marks = marks),
    show({ start, end }) {
      const text = editor.latex;
      editor.show({
        quote: text.slice(start, end),
        before: text.slice(Math.max(0, start - 100), start),
        after: text.slice(end, end + 100),
      });
    },
    onClick(tell) {
      editor.addEventListener("click", (event) => {
        const at = event.composedPath()[0];
        if (at instanceof Element && at.closest(".toolbar, button, a, select")) return;
        requestAnimationFrame(() => tell(editor.caret.start));
      });
    },
  };
}

function inPlainText(pre: HTMLElement): LatexText {
  const latex = pre.textContent ?? "";
  pre.tabIndex = 0;
  let last: Span | undefined;
  const offset = (node: Node, at: number): number => {
    const range = document.createRange();
    range.setStart(pre, 0);
    range.setEnd(node, at);
    return range.toString().length;
  };
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (!selection?.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (!pre.contains(range.startContainer) || !pre.contains(range.endContainer)) return;
    last = { start: offset(range.startContainer, range.startOffset), end: offset(range.endContainer, range.endOffset) };
  });
  return {
    latex,
    get selected() {
      return last;
    },
    paint: (marks) => pre.replaceChildren(...withMarks(latex, marks)),
    show({ start }) {
      const mark = [...pre.querySelectorAll("mark")].find((one) => offset(one, 0) === start);
      mark?.scrollIntoView({ block: "center" });
      pre.focus({ preventScroll: true });
    },
    onClick(tell) {
      pre.addEventListener("click", (event) => {
        const mark = (event.target as Element).closest("mark");
        if (mark) tell(offset(mark, 0));
      });
    },
  };
}

/** Wrap the marked ranges of `text` in `<mark>`s; overlapping marks are split into pieces. */
export function withMarks(text: string, marks: readonly Span[]): Node[] {
  const edges = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  return edges.slice(1).map((end, n) => {
    const start = edges[n]!;
    const words = document.createTextNode(text.slice(start, end));
    if (!marks.some((mark) => mark.start <= start && end <= mark.end)) return words;
    const mark = document.createElement("mark");
    mark.append(words);
    return mark;
  });
}
