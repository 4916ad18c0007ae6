/** A replacement of a range of the source. */
export interface TextChange {
  from: number;
  to: number;
  text: string;
}

/** Apply changes to `source`; they must not overlap. */
export function applyChanges(source: string, changes: readonly TextChange[]): string {
  let out = "";
  let at = 0;
  for (const { from, to, text } of [...changes].sort((one, other) => one.from - other.from || one.to - other.to)) {
    out += source.slice(at, from) + text;
    at = to;
  }
  return out + source.slice(at);
}

/** Create the change that replaces the range `place` by `text`; none when it has that text already. */
export function replaceAt(source: string, place: readonly [number, number], text: string): TextChange[] {
  return source.slice(...place) === text ? [] : [{ from: place[0], to: place[1], text }];
}

/** Return the indentation of the line at `at`. */
export function indentAt(source: string, at: number): string {
  const start = Math.max(source.lastIndexOf("\n", at - 1), source.lastIndexOf("\r", at - 1)) + 1;
  return /^[ \t]*/.exec(source.slice(start, at))?.[0] ?? "";
}
