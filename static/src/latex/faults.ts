/** An unmatched brace or environment, because of which a text can be shown in the source view only. */
export interface Fault {
  kind: "brace" | "environment";
  /** Its position in UTF-16 units. */
  offset: number;
  /** Where at the latest it would have to be closed, if that is before the end of the text. */
  until?: number;
  /** Its line, from 1. */
  line: number;
  /** A sentence: "\begin{itemize} is never closed." */
  message: string;
}

/** Sort faults by position and add their line numbers. Linear time. */
export function withLines(source: string, found: Omit<Fault, "line">[]): Fault[] {
  const sorted = [...found].sort((one, other) => one.offset - other.offset);
  const ends = /\r\n|\r|\n/g;
  let line = 1;
  let next = ends.exec(source);
  return sorted.map((fault) => {
    while (next && next.index < fault.offset) {
      line++;
      next = ends.exec(source);
    }
    return { ...fault, line };
  });
}
