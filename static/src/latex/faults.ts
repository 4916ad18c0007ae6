/** Why a text can be shown in Source only: something in it is opened and not closed, or the reverse. */
export interface Fault {
  kind: "brace" | "environment";
  /** Where, in UTF-16 units from the start. */
  offset: number;
  /** The line, from 1. */
  line: number;
  /** A sentence: "\begin{itemize} is never closed." */
  message: string;
}

/** The faults at `found` places, in order of the text, each with its line. Linear in the text. */
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
