import type { DocJSON } from "./document";
import { writeSequence } from "./write";

const MARK = "\uFEFF"; // byte order mark

/**
 * Write a document as LaTeX. An unedited document gives exactly the text that `toDocument` read; in an edited one only
 * the edited parts differ (SPEC T2). `newline` is the line end for new text, as found by `toDocument`.
 */
export function toLatex(doc: DocJSON, tail: string, newline = "\n"): string {
  const text = writeSequence(doc.content, newline);
  const rest = tail.startsWith(MARK) ? tail.slice(1) : tail;
  const marked = rest !== tail || doc.content.some(({ attrs }) => attrs?.place === 0 && attrs.before?.startsWith(MARK));
  return (marked && !text.startsWith(MARK) ? MARK : "") + text + rest;
}
