// Positions of comments in the text of the page, which may be newer than the server's text.

/** A range of text in UTF-16 units, as `string.slice` takes them. */
export interface Span {
  start: number;
  end: number;
}

/** What the server needs to find a range again: the quoted text, its context, and its start in code points. */
export interface Anchor {
  quote: string;
  before: string;
  after: string;
  start: number;
}

const CONTEXT_LENGTH = 100; // characters of context on either side
const MAX_QUOTE = 2000; // characters of a quote

/** Create the anchor of a range of `text` without splitting a surrogate pair. */
export function anchorOf(text: string, { start, end }: Span): Anchor {
  const last = characterStart(text, Math.min(end, start + MAX_QUOTE));
  return {
    quote: text.slice(start, last),
    before: text.slice(characterStart(text, Math.max(0, start - CONTEXT_LENGTH)), start),
    after: text.slice(last, characterStart(text, Math.min(text.length, last + CONTEXT_LENGTH))),
    start: codePointOffset(text, start),
  };
}

/** Find the occurrence of `words` nearest to the code point `start`; undefined when there is none. */
export function findQuote(text: string, words: string, start: number): Span | undefined {
  const quote = text.includes("\r\n") && !words.includes("\r") ? words.replaceAll("\n", "\r\n") : words;
  if (!quote) return undefined;
  const near = utf16Offset(text, start);
  const behind = text.indexOf(quote, near);
  if (behind === near) return { start: near, end: near + quote.length };
  const ahead = near > 0 ? text.lastIndexOf(quote, near - 1) : -1;
  const at = behind < 0 || (ahead >= 0 && near - ahead <= behind - near) ? ahead : behind;
  return at < 0 ? undefined : { start: at, end: at + quote.length };
}

/** Find the paragraph around `at`: up to the empty lines before and after it, trimmed. */
export function paragraphAt(text: string, at: number): Span {
  const empty = /\n[ \t]*\r?\n/g;
  const before = [...text.slice(0, at).matchAll(empty)].at(-1);
  let start = before ? before.index + before[0].length : 0;
  const behind = text.slice(at).search(empty);
  let end = behind < 0 ? text.length : at + behind;
  while (start < end && /\s/.test(text[start]!)) start++;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return { start, end };
}

function characterStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** Count the code points of `text` before the UTF-16 unit `at`. The server counts in code points. */
export function codePointOffset(text: string, at: number): number {
  let number = at;
  for (let n = 1; n < at; n++) if (isSurrogatePair(text, n)) number--;
  return number;
}

export function utf16Offset(text: string, points: number): number {
  if (!/[\ud800-\udbff]/.test(text)) return Math.min(points, text.length);
  let at = 0;
  for (let n = 0; n < points && at < text.length; n++) at += isSurrogatePair(text, at + 1) ? 2 : 1;
  return at;
}

/** Tell whether the unit at `at` is the second half of a surrogate pair. */
function isSurrogatePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
