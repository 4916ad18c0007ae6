// Where the words of comments stand in the text of the page, which may be ahead of the text the server knows.

/** A stretch of text in UTF-16 units, what `string.slice` takes. */
export interface Span {
  start: number;
  end: number;
}

/**
 * What the server needs to find a place again: the words with what stands around them, and where they begin in code
 * points.
 */
export interface Anchor {
  quote: string;
  before: string;
  after: string;
  start: number;
}

const AROUND = 100; // characters on either side
const MOST = 2000; // of a quote

/** The anchor of a stretch of `text`. No character is cut in two. */
export function anchorOf(text: string, { start, end }: Span): Anchor {
  const last = whole(text, Math.min(end, start + MOST));
  return {
    quote: text.slice(start, last),
    before: text.slice(whole(text, Math.max(0, start - AROUND)), start),
    after: text.slice(last, whole(text, Math.min(text.length, last + AROUND))),
    start: codePoints(text, start),
  };
}

/** Where `words` stand nearest to the code point `start` of the text; undefined when they are not there. */
export function placeOf(text: string, words: string, start: number): Span | undefined {
  const quote = text.includes("\r\n") && !words.includes("\r") ? words.replaceAll("\n", "\r\n") : words;
  if (!quote) return undefined;
  const near = units(text, start);
  const behind = text.indexOf(quote, near);
  if (behind === near) return { start: near, end: near + quote.length };
  const ahead = near > 0 ? text.lastIndexOf(quote, near - 1) : -1;
  const at = behind < 0 || (ahead >= 0 && near - ahead <= behind - near) ? ahead : behind;
  return at < 0 ? undefined : { start: at, end: at + quote.length };
}

/** The paragraph around `at`: up to the empty lines before and behind it, without white space at its ends. */
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

function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** How many characters `text` has before its unit `at`, as the server counts. */
export function codePoints(text: string, at: number): number {
  let number = at;
  for (let n = 1; n < at; n++) if (isPair(text, n)) number--;
  return number;
}

function units(text: string, points: number): number {
  if (!/[\ud800-\udbff]/.test(text)) return Math.min(points, text.length);
  let at = 0;
  for (let n = 0; n < points && at < text.length; n++) at += isPair(text, at + 1) ? 2 : 1;
  return at;
}

/** Whether the unit at `at` is the second half of a character. */
function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
