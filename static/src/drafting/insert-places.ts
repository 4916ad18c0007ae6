import { paragraphAt, type Span } from "../side-panel/comment-places";

export type Way = "rewrite" | "shorten" | "continue" | "support";

/** What is selected in a text, in UTF-16 units; the same place twice for a caret. `before`: what is seen before it. */
export interface Chosen extends Span {
  before?: string;
}

const ABBREVIATION = /\b(?:e\.g|i\.e|et al|cf|vs|Fig|Figs|Tab|Eq|No|approx|Dr|St)\./;
const STOP = new RegExp(`(?<=[.!?][)\\]}"'’”]*)(?<!${ABBREVIATION.source})(?:~|\\s)+(?=[\\p{Lu}\\d\\\\(["'“‘$])`, "u");

/**
 * The place of `latex` that a command is about: what is selected without the blanks around it, else the paragraph of
 * the caret; the end of that paragraph to go on from; a sentence to find support for. Null where nothing stands.
 */
export function placeFor(way: Way, latex: string, chosen: Chosen): Span | null {
  const selected = chosen.end > chosen.start ? trimmed(latex, chosen) : null;
  if (way === "continue") {
    const at = paragraphAt(latex, selected?.end ?? chosen.end).end;
    return { start: at, end: at };
  }
  const span = selected && selected.end > selected.start ? selected : paragraphAt(latex, chosen.start);
  if (span.end <= span.start) return null;
  return way === "support" ? sentenceIn(latex, span, chosen) : span;
}

function trimmed(latex: string, { start, end }: Span): Span {
  while (start < end && /\s/.test(latex[start]!)) start += 1;
  while (end > start && /\s/.test(latex[end - 1]!)) end -= 1;
  return { start, end };
}

/**
 * The sentence of a paragraph in which the caret stands. In the page a caret chooses its whole paragraph: then it is
 * told by the words before.
 */
function sentenceIn(latex: string, span: Span, chosen: Chosen): Span {
  const all = sentences(latex, span);
  const isParagraph =
    all.length > 1 &&
    paragraphAt(latex, span.start).start === span.start &&
    paragraphAt(latex, span.start).end === span.end;
  if (!isParagraph && chosen.end > chosen.start) return span; // as it was selected
  const seen = (chosen.before ?? "").slice(-12).trimStart();
  const found = seen ? latex.slice(span.start, span.end).lastIndexOf(seen) : -1;
  const at = found >= 0 ? span.start + found + seen.length : chosen.end > chosen.start ? span.start : chosen.start;
  return all.find(({ end }) => at <= end) ?? all.at(-1) ?? span;
}

function sentences(latex: string, { start, end }: Span): Span[] {
  const found: Span[] = [];
  let at = start;
  for (const gap of latex.slice(start, end).matchAll(new RegExp(STOP, "gu"))) {
    found.push({ start: at, end: start + gap.index });
    at = start + gap.index + gap[0].length;
  }
  if (at < end) found.push({ start: at, end });
  return found;
}
