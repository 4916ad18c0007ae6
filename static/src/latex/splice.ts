/** A place in a source and what is to stand there instead. */
export interface Change {
  from: number;
  to: number;
  text: string;
}

/** `source` with the changes made; they must not overlap. */
export function spliced(source: string, changes: readonly Change[]): string {
  let out = "";
  let at = 0;
  for (const { from, to, text } of [...changes].sort((one, other) => one.from - other.from || one.to - other.to)) {
    out += source.slice(at, from) + text;
    at = to;
  }
  return out + source.slice(at);
}

/** The change that puts `text` where `place` is, unless it stands there. */
export function replacing(source: string, place: readonly [number, number], text: string): Change[] {
  return source.slice(...place) === text ? [] : [{ from: place[0], to: place[1], text }];
}

/** Indentation of the line on which `at` stands. */
export function indentAt(source: string, at: number): string {
  const start = Math.max(source.lastIndexOf("\n", at - 1), source.lastIndexOf("\r", at - 1)) + 1;
  return /^[ \t]*/.exec(source.slice(start, at))?.[0] ?? "";
}
