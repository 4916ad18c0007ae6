import type { Mark, NewAnchor, PageText } from "../side-panel/text-access";
import { leafOf, rangeBetween, sourceAt, wordsIn } from "./text-blocks";
import { keepInView } from "./open-at-address";

const CONTEXT = 100; // characters around the selected words
const MAX_QUOTE = 2000; // characters of a quote

/**
 * The text of the chapter whose comments are shown. Places are in its LaTeX, in code points. Commented words are
 * painted with the CSS Custom Highlight API, so that the text itself stays as it is.
 */
export class ChapterText implements PageText {
  private clicked: (at: number) => void = () => undefined;
  private lastSelection: Range | undefined;

  constructor(private chapter: HTMLElement) {
    document.addEventListener("selectionchange", () => {
      const range = selectedRange();
      if (leafOf(range?.startContainer ?? null)) this.lastSelection = range?.cloneRange();
    });
    document.addEventListener("click", ({ target, clientX, clientY }) => {
      if (!(target instanceof Element) || !this.chapter.contains(target) || target.closest("a, summary")) return;
      const at = sourceAtPoint(clientX, clientY);
      if (at !== undefined) this.clicked(at);
    });
  }

  /** Change to another chapter. */
  open(chapter: HTMLElement): void {
    if (chapter === this.chapter) return;
    this.chapter = chapter;
    this.paint([]);
  }

  placeOf({ dataset }: HTMLElement): { start: number; end: number } | undefined {
    return dataset.end ? { start: Number(dataset.start), end: Number(dataset.end) } : undefined;
  }

  anchor(): NewAnchor | undefined {
    const words = this.lastSelection && wordsIn(this.lastSelection);
    if (!words || !this.chapter.contains(words.startContainer)) return undefined;
    const around = (leafOf(words.startContainer)?.textContent ?? "").replace(/\s+/g, " ");
    const quote = words.toString().slice(0, MAX_QUOTE);
    const at = Math.max(around.indexOf(quote), 0);
    const [before, after] = [around.slice(Math.max(0, at - CONTEXT), at), around.slice(at + quote.length)];
    const anchor = { quote, before, after: after.slice(0, CONTEXT), start: 0 };
    const start = sourceAt(words.startContainer, words.startOffset);
    const last = sourceAt(words.endContainer, Math.max(words.endOffset - 1, 0));
    if (start === undefined || last === undefined) return anchor; // the server searches the words
    return { ...anchor, start, end: Math.max(last + 1, start + 1), version: this.chapter.dataset.version ?? "" };
  }

  paint(marks: Mark[]): void {
    if (!("highlights" in CSS)) return;
    const ranges = marks.flatMap(({ start, end }) => rangeBetween(this.chapter, start, end) ?? []);
    CSS.highlights.set("commented", new Highlight(...ranges));
  }

  show({ start, end }: { start: number; end: number }): void {
    const range = rangeBetween(this.chapter, start, end);
    document.querySelector<HTMLElement>(".drawer:popover-open")?.hidePopover();
    keepInView(() => leafOf(range?.startContainer ?? null), "center");
    if (range && "highlights" in CSS) CSS.highlights.set("shown", new Highlight(range));
  }

  onClick(listener: (at: number) => void): void {
    this.clicked = listener;
  }
}

/** Return the selection on the page when it is not empty. */
export function selectedRange(): Range | undefined {
  const selection = getSelection();
  return selection?.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : undefined;
}

/** Return the place in the source of the words at a point of the window. */
export function sourceAtPoint(x: number, y: number): number | undefined {
  const position = document.caretPositionFromPoint?.(x, y);
  if (position) return sourceAt(position.offsetNode, position.offset);
  const range = document.caretRangeFromPoint?.(x, y); // Safari, and Chromium before 128
  return range ? sourceAt(range.startContainer, range.startOffset) : undefined;
}
