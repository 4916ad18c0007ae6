import type { DocJSON } from "./document";
import { writeSequence } from "./write";

const MARK = "\uFEFF"; // of a file's byte order

/**
 * The LaTeX of a document: `toLatex(doc, tail, newline)` of what `toDocument` read is the text again, and of an edited
 * document changes only what was edited (SPEC T2). `newline`: the line end for what is new, as `toDocument` found it.
 */
export function toLatex(doc: DocJSON, tail: string, newline = "\n"): string {
  const text = writeSequence(doc.content, newline);
  const rest = tail.startsWith(MARK) ? tail.slice(1) : tail;
  const marked = rest !== tail || doc.content.some(({ attrs }) => attrs?.place === 0 && attrs.before?.startsWith(MARK));
  return (marked && !text.startsWith(MARK) ? MARK : "") + text + rest;
}
