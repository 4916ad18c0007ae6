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

/** Read the line number from the address ("?line=118"); null without one. */
export function lineFromAddress(query: string): number | null {
  const value = new URLSearchParams(query).get("line") ?? "";
  return /^[1-9]\d{0,6}$/.test(value) ? Number(value) : null;
}
