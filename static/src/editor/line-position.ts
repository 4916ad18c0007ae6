import type { Place } from "./view";

/**
 * Return the start of line `number` (from 1) after its indentation, in UTF-16 units; the last line if there are fewer.
 */
export function startOfLine(text: string, number: number): number {
  let at = 0;
  for (let line = 1; line < number; line++) {
    const ending = /\r\n|\r|\n/g;
    ending.lastIndex = at;
    const found = ending.exec(text);
    if (!found) break;
    at = found.index + found[0].length;
  }
  const blanks = /^[ \t]*(?=[^\s])/.exec(text.slice(at, at + 1_000));
  return at + (blanks?.[0].length ?? 0);
}

/** Read an offset in code points from the address ("?at=1180"), as linked from the manuscript; null without one. */
export function offsetFromAddress(query: string): number | null {
  const value = new URLSearchParams(query).get("at") ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Return the place of the words at `start`, which both views find; the offset itself when there are none. */
export function wordsAt(text: string, start: number): Place {
  const quote = /^[^\s\\{}$%&~]+(?: [^\s\\{}$%&~]+)*/.exec(text.slice(start, start + 40))?.[0];
  if (!quote) return start;
  const end = start + quote.length;
  return { quote, before: text.slice(Math.max(0, start - 60), start), after: text.slice(end, end + 60) };
}

/** Read the line number from the address ("?line=118"); null without one. */
export function lineFromAddress(query: string): number | null {
  const value = new URLSearchParams(query).get("line") ?? "";
  return /^[1-9]\d{0,6}$/.test(value) ? Number(value) : null;
}
