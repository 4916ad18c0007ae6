import { headingAt, isBlankLine, splitWith, type Kind } from "./blocks";
import { blockKey } from "./block-keys";
import { matchingPairs } from "./diff";
import type { BlockJSON, BlockquoteJSON, SourceAttrs, ListItemJSON, ListJSON, ParagraphJSON } from "./document";
import { writeFigure } from "./figures";
import { writeHeading } from "./headings";
import { LIST_ENVIRONMENT, readList, readQuote, type Item, type Part } from "./lists";
import { writeMaths } from "./maths";
import { blockOf } from "./read";
import { structure } from "./structure";
import { writeInline } from "./write-inline";
import { writeTable } from "./write-table";

/** Tell whether a block still matches its source. Attributes that the editor left out count as unchanged. */
export function isAsRead(node: BlockJSON): boolean {
  const source = node.attrs?.source;
  if (source == null) return false;
  if (node.type === "rawBlock") return node.attrs.latex === source;
  const read = blockOf(source);
  if (read?.node.type !== node.type) return false;
  read.key ??= blockKey(read.node);
  return blockKey(withReadAttrs(node, read.node)) === read.key;
}

function withReadAttrs(node: BlockJSON, read: BlockJSON): BlockJSON {
  const given = Object.entries(node.attrs ?? {}).filter(([, value]) => value !== undefined);
  return { ...node, attrs: { ...read.attrs, ...Object.fromEntries(given) } } as BlockJSON;
}

/** Write a new or edited block as LaTeX. `indent` is the indentation of nested lists. */
export function writeBlock(given: BlockJSON, newline: string, indent = "", donor: string | null = null): string {
  const source = given.attrs?.source ?? null;
  const read = source === null ? null : (blockOf(source)?.node ?? null);
  const sameType = read?.type === given.type;
  const node = sameType && read ? withReadAttrs(given, read) : given;
  const from = sameType ? source : null;
  switch (node.type) {
    case "paragraph":
      return writeInline(node.content, from ?? wordsOf(source) ?? donor, newline);
    case "heading":
      return from === null ? headingFrom(node, wordsOf(source), newline) : writeHeading(node, from, newline);
    case "bulletList":
    case "orderedList":
      return writeList(node, source, newline, indent);
    case "blockquote":
      return writeQuote(node, from, newline);
    case "table":
      return writeTable(node, from, newline);
    case "figure":
      return writeFigure(node, from, newline);
    case "mathBlock":
      return writeMaths(node, from, newline);
    case "rawBlock":
      return node.attrs.latex;
  }
}

/** Return the LaTeX of a paragraph's or heading's text, for a block that changed its kind. */
function wordsOf(source: string | null): string | null {
  if (source === null) return null;
  const read = blockOf(source);
  if (read?.node.type === "paragraph") return source;
  const heading = read?.node.type === "heading" ? headingAt(source, 0, structure(source).ends) : null;
  return heading && source.slice(...heading.title);
}

function headingFrom(node: Extract<BlockJSON, { type: "heading" }>, words: string | null, newline: string): string {
  const latex = writeHeading({ ...node, content: [] }, null, newline);
  const at = latex.indexOf("{}") + 1;
  return latex.slice(0, at) + writeInline(node.content, words, newline) + latex.slice(at);
}

function writeList(node: ListJSON, source: string | null, newline: string, indent: string): string {
  const list = source === null ? null : readList(source);
  const env = list && list.node.type === node.type ? list.env : LIST_ENVIRONMENT[node.type];
  const options = node.attrs?.options === undefined ? (list?.options ?? null) : node.attrs.options;
  const inner = `${newline}${indent}  `;
  const same = list && list.env === env && list.options === options;
  const opening = same ? list.opening : `\\begin{${env}}${options != null ? `[${options}]` : ""}`;
  const closing = list ? list.closing.replace(/\{[^{}]*\}$/, `{${env}}`) : `${newline}${indent}\\end{${env}}`;
  const old = (list?.node.content ?? []).map(itemKey);
  const pairs = matchItems(old, node.content.map(itemKey));
  const items = node.content.map((item, index) => {
    const was = list?.items[pairs.get(index) ?? -1] ?? null;
    const beside = list?.items[Math.min(index, list.items.length - 1)];
    const gap = was?.gap ?? beside?.gap ?? inner;
    return (
      (/[\r\n]/.test(gap) || !index ? gap : inner) + writeItem(item, was, newline, `${/[ \t]*$/.exec(gap)?.[0] ?? ""}`)
    );
  });
  return opening + items.join("") + closing;
}

function itemKey(item: ListItemJSON): string {
  return JSON.stringify(item.content.map(blockKey));
}

/** Match new items to old ones: equal items first, then changed items by position. */
function matchItems(before: string[], after: string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  let [was, is] = [0, 0];
  for (const [nextOld, nextNew] of [
    ...matchingPairs(before, after),
    [before.length, after.length] as [number, number],
  ]) {
    while (was < nextOld && is < nextNew) pairs.set(is++, was++);
    if (nextNew < after.length) pairs.set(nextNew, nextOld);
    [was, is] = [nextOld + 1, nextNew + 1];
  }
  return pairs;
}

function writeItem(item: ListItemJSON, was: Item | null, newline: string, indent: string): string {
  const text = writeSequence(withSources(item.content, was?.parts ?? []), newline, `${indent}  `);
  const lead = was?.lead ?? "\\item ";
  if (!text) return lead.trimEnd();
  const guarded = /^[[<]/.test(text) ? `{${text[0]}}${text.slice(1)}` : text;
  return (/[a-z]$/.test(lead) && /^[a-zA-Z@*]/.test(guarded) ? `${lead} ` : lead) + guarded;
}

/** Give nested nodes the sources of the parts they came from; a moved paragraph keeps its own. */
function withSources<Node extends ParagraphJSON | ListJSON>(nodes: readonly Node[], parts: readonly Part[]): Node[] {
  const pairs = matchItems(
    parts.map(({ node }) => blockKey(node)),
    nodes.map(blockKey),
  );
  return nodes.map((node, index) => {
    const at = pairs.get(index) ?? -1;
    const block = parts[at]?.block;
    const attrs: SourceAttrs = block
      ? { source: block.source, before: block.before, place: at }
      : { source: node.attrs?.source ?? null, before: null, place: null };
    return { ...node, attrs: { ...node.attrs, ...attrs } };
  });
}

function writeQuote(node: BlockquoteJSON, source: string | null, newline: string): string {
  const quote = source === null ? null : readQuote(source);
  const env = node.attrs?.env || "quote";
  const body = writeSequence(withSources(node.content, quote?.parts ?? []), newline);
  if (!quote || quote.env !== env) return `\\begin{${env}}${newline}${body}${newline}\\end{${env}}`;
  return quote.opening + body + quote.closing;
}

interface WrittenBlock {
  text: string;
  asRead: boolean;
  /** The kinds of its first and last block. */
  first: Kind;
  last: Kind;
  place: number | null;
}

/**
 * Write blocks one after the other. Unchanged blocks are written exactly as read. Unchanged neighbours keep the text
 * between them; others get an empty line unless the text before them separates them already. Empty paragraphs are left
 * out. `indent` is not null inside a list item; it is the indentation of new lines.
 */
export function writeSequence(nodes: readonly BlockJSON[], newline: string, indent: string | null = null): string {
  let out = "";
  let last: WrittenBlock | null = null;
  // source of the block before, if it was edited: after a split only the first half has the source
  let edited: string | null = null;
  for (const node of nodes) {
    const { source = null, before = null, place = null } = node.attrs ?? {};
    const asRead = isAsRead(node);
    const text = asRead ? (source ?? "") : writeBlock(node, newline, indent ?? "", source === null ? edited : null);
    edited = asRead ? null : source;
    if (!text) continue;
    const kinds = kindsOf(text, asRead);
    if (!last) out += place === 0 || place === undefined ? (before ?? "") : "";
    else if (before !== null && asRead && last.asRead && place !== null && last.place === place - 1) out += before;
    else if (before !== null && !before.includes("\uFEFF") && isSeparated(last, before, kinds.first, text))
      out += before;
    else out += gap(newline, indent, kinds.first, last.last);
    out += text;
    last = { text, asRead, ...kinds, place };
  }
  return out;
}

function gap(newline: string, indent: string | null, kind: Kind, last: Kind): string {
  if (indent === null) return newline + newline;
  return (kind === "list" && last !== "comment" ? newline : newline + newline) + indent;
}

function kindsOf(text: string, asRead: boolean): { first: Kind; last: Kind } {
  const known = asRead ? blockOf(text) : null;
  if (known) return { first: known.kind, last: known.kind };
  const { blocks } = splitWith(text, structure(text), false);
  return { first: blocks[0]?.kind ?? "paragraph", last: blocks[blocks.length - 1]?.kind ?? "paragraph" };
}

/** Tell whether `before` separates two blocks, so that they would be read as two again. */
function isSeparated(last: WrittenBlock, before: string, kind: Kind, text: string): boolean {
  if (isBlankLine(before)) return true;
  const ended = /[\r\n]/.test(before);
  if (last.last === "comment") return ended && kind !== "comment";
  if (last.last === "paragraph") {
    const commented = last.text
      .slice(Math.max(last.text.lastIndexOf("\n"), last.text.lastIndexOf("\r")) + 1)
      .includes("%");
    if (commented && !ended) return false;
    return kind === "environment" ? ended : kind !== "paragraph" && kind !== "comment";
  }
  return !(last.last === "heading" && text.startsWith("\\label"));
}
