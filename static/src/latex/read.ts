import { splitWith, type Kind } from "./blocks";
import type { BlockJSON, DocJSON, SourceAttrs } from "./document";
import { withLines, type Fault } from "./faults";
import { readFigure } from "./figures";
import { readHeading } from "./headings";
import { contentOf, unitsOf } from "./inline";
import { readList, readQuote } from "./lists";
import { readMaths } from "./maths";
import { nameAt, structure, wordEnd, type Structure } from "./structure";
import { readTable } from "./tables";

/** A parsed text. */
export interface Read {
  doc: DocJSON;
  /** The white space after the last block. */
  tail: string;
  /** Faults that keep the text out of the visual editor. */
  faults: Fault[];
  /** The most common line end of the text, for `toLatex`. */
  newline: string;
}

/**
 * Parse a text. `toLatex(doc, tail, newline)` restores it exactly, whatever the text. An empty text becomes an empty
 * paragraph.
 */
export function toDocument(source: string): Read {
  const paired = structure(source);
  const { blocks, tail } = splitWith(source, paired);
  const content = blocks.map((block, place) =>
    withAttrs(nodeOf(block.source), { source: block.source, before: block.before, place }),
  );
  if (!content.length) content.push({ type: "paragraph", attrs: { source: null, before: null, place: null } });
  return { doc: { type: "doc", content }, tail, faults: withLines(source, paired.faults), newline: newlineOf(source) };
}

function withAttrs(node: BlockJSON, attrs: SourceAttrs): BlockJSON {
  return { ...node, attrs: { ...node.attrs, ...attrs } } as BlockJSON;
}

/** Parse a block on its own, so that the same source always gives the same block. */
function nodeOf(source: string): BlockJSON {
  return blockOf(source)?.node ?? { type: "rawBlock", attrs: { latex: source, name: "LaTeX" } };
}

/** Parse a block; anything that is not fully understood becomes a raw block. */
function readBlock(source: string, kind: Kind, paired: Structure): BlockJSON {
  return readKind(source, kind, paired) ?? { type: "rawBlock", attrs: { latex: source, name: nameOf(source, kind) } };
}

function readKind(source: string, kind: Kind, paired: Structure): BlockJSON | null {
  switch (kind) {
    case "paragraph": {
      const units = unitsOf(source, paired);
      if (!units || units.every(({ atom }) => atom?.type === "raw" || atom?.type === "softBreak")) return null;
      return { type: "paragraph", content: contentOf(units) };
    }
    case "heading":
      return readHeading(source);
    case "list":
      return readList(source)?.node ?? null;
    case "quote":
      return readQuote(source)?.node ?? null;
    case "figure":
      return readFigure(source);
    case "table":
      return readTable(source)?.node ?? null;
    case "math":
      return readMaths(source);
    case "environment":
      return readTable(source)?.node ?? null;
    case "comment":
      return null;
  }
}

function nameOf(source: string, kind: Kind): string {
  if (kind === "comment") return "comment";
  if (!source.startsWith("\\")) return "LaTeX";
  const after = wordEnd(source, 1);
  const name = source.slice(1, after);
  return (name === "begin" ? nameAt(source, after) : name) || "LaTeX";
}

/** Return the most common line end of a text; "\n" when it has none. */
export function newlineOf(source: string): string {
  const counts = new Map<string, number>();
  for (const [end] of source.matchAll(/\r\n|\r|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["\n", 0] as [string, number])[0];
}

/** A cached block. */
export interface CachedBlock {
  node: BlockJSON;
  kind: Kind;
  /** Its `blockKey`, computed on first use. */
  key: string | null;
}

const MAX_CACHED = 4000;
const cache = new Map<string, CachedBlock | null>();

/** Parse the block with exactly this source, with a cache; null when the source is not exactly one block. */
export function blockOf(source: string): CachedBlock | null {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const paired = structure(source);
  const { blocks, tail } = splitWith(source, paired, false);
  const [block] = blocks;
  const cached =
    block && blocks.length === 1 && !block.before && !tail
      ? { node: readBlock(source, block.kind, paired), kind: block.kind, key: null }
      : null;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(source, cached);
  return cached;
}
