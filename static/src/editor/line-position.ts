/**
 * Where line `number` (from 1) of `text` begins, behind its blanks, in UTF-16 units; the last line where it has fewer.
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

/** The line that the address asks for ("?line=118"), or null. */
export function lineAsked(query: string): number | null {
  const asked = new URLSearchParams(query).get("line") ?? "";
  return /^[1-9]\d{0,6}$/.test(asked) ? Number(asked) : null;
}
