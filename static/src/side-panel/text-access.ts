import type { Span } from "./comment-places";

/** The range of a comment in the text. */
export interface Mark extends Span {
  id: string;
}

/** The text of the page: in the editor, or read-only. */
export interface PageText {
  readonly latex: string;
  readonly selected: Span | undefined;
  paint(marks: Mark[]): void;
  show(place: Span): void;
  /** Call `tell` with the caret position on each click. */
  onClick(listener: (at: number) => void): void;
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
    return inEditor(editor);
  }
  const pre = document.querySelector<HTMLElement>("#text pre.latex");
  return pre ? inPlainText(pre) : undefined;
}

function inEditor(editor: Editor): PageText {
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

function inPlainText(pre: HTMLElement): PageText {
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
