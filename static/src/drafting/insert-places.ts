import { paragraphAt, type Span } from "../side-panel/comment-places";

/** What a draft command does with the text. */
export type DraftCommand = "rewrite" | "shorten" | "continue" | "support";

/** A selection in a text, in UTF-16 units; empty for a caret. `before` is the visible text in front of it. */
export interface TextSelection extends Span {
  before?: string;
}

const ABBREVIATION = /\b(?:e\.g|i\.e|et al|cf|vs|Fig|Figs|Tab|Eq|No|approx|Dr|St)\./;
const STOP = new RegExp(`(?<=[.!?][)\\]}"'’”]*)(?<!${ABBREVIATION.source})(?:~|\\s)+(?=[\\p{Lu}\\d\\\\(["'“‘$])`, "u");

/**
 * Find the part of `latex` a command works on: the trimmed selection, or the paragraph at the caret. For "continue" it
 * is the end of that paragraph, for "support" one sentence. Return null when there is no text there.
 */
export function targetOf(command: DraftCommand, latex: string, chosen: TextSelection): Span | null {
  const selected = chosen.end > chosen.start ? trimmed(latex, chosen) : null;
  if (command === "continue") {
    const at = paragraphAt(latex, selected?.end ?? chosen.end).end;
    return { start: at, end: at };
  }
  const span = selected && selected.end > selected.start ? selected : paragraphAt(latex, chosen.start);
  if (span.end <= span.start) return null;
  return command === "support" ? sentenceIn(latex, span, chosen) : span;
}

function trimmed(latex: string, { start, end }: Span): Span {
  while (start < end && /\s/.test(latex[start]!)) start += 1;
  while (end > start && /\s/.test(latex[end - 1]!)) end -= 1;
  return { start, end };
}

/**
 * Find the sentence at the caret. The visual editor reports the whole paragraph for a caret; then the text before the
 * caret tells which sentence it is in.
 */
function sentenceIn(latex: string, span: Span, chosen: TextSelection): Span {
  const all = sentences(latex, span);
  const isParagraph =
    all.length > 1 &&
    paragraphAt(latex, span.start).start === span.start &&
    paragraphAt(latex, span.start).end === span.end;
  if (!isParagraph && chosen.end > chosen.start) return span; // as it was selected
  const visibleBefore = (chosen.before ?? "").slice(-12).trimStart();
  const found = visibleBefore ? latex.slice(span.start, span.end).lastIndexOf(visibleBefore) : -1;
  const at =
    found >= 0 ? span.start + found + visibleBefore.length : chosen.end > chosen.start ? span.start : chosen.start;
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
