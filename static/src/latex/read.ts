import { splitWith, type Kind } from "./blocks";
import type { BlockJSON, DocJSON, Kept } from "./document";
import { withLines, type Fault } from "./faults";
import { readFigure } from "./figures";
import { readHeading } from "./headings";
import { contentOf, unitsOf } from "./inline";
import { readList, readQuote } from "./lists";
import { readMaths } from "./maths";
import { nameAt, structure, wordEnd, type Structure } from "./structure";
import { readTable } from "./tables";

export interface Read {
  doc: DocJSON;
  /** The blanks behind the last block. */
  tail: string;
  /** What keeps the text out of the visual editor; empty when nothing does. */
  faults: Fault[];
  /** The line end the text uses most, for `toLatex`. */
  newline: string;
}

/**
 * The document of a text. `toLatex(doc, tail, newline)` is the text again, whatever the text. An empty text has one
 * empty paragraph.
 */
export function toDocument(source: string): Read {
  const paired = structure(source);
  const { blocks, tail } = splitWith(source, paired);
  const content = blocks.map((block, place) =>
    kept(nodeOf(block.source), { source: block.source, before: block.before, place }),
  );
  if (!content.length) content.push({ type: "paragraph", attrs: { source: null, before: null, place: null } });
  return { doc: { type: "doc", content }, tail, faults: withLines(source, paired.faults), newline: newlineOf(source) };
}

function kept(node: BlockJSON, attrs: Kept): BlockJSON {
  return { ...node, attrs: { ...node.attrs, ...attrs } } as BlockJSON;
}

/** Read by itself, so that the same source gives the same block wherever it stands. */
function nodeOf(source: string): BlockJSON {
  return blockOf(source)?.node ?? { type: "rawBlock", attrs: { latex: source, name: "LaTeX" } };
}

/** One block for the editor; what it does not wholly understand is a raw block. */
function readBlock(source: string, kind: Kind, paired: Structure): BlockJSON {
  return understood(source, kind, paired) ?? { type: "rawBlock", attrs: { latex: source, name: nameOf(source, kind) } };
}

function understood(source: string, kind: Kind, paired: Structure): BlockJSON | null {
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
    case "comment":
    case "environment":
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

/** The line end most common in a text; a newline where it has none. */
export function newlineOf(source: string): string {
  const counts = new Map<string, number>();
  for (const [end] of source.matchAll(/\r\n|\r|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["\n", 0] as [string, number])[0];
}

export interface Remembered {
  node: BlockJSON;
  kind: Kind;
  /** Its `blockKey`, once somebody has asked for it. */
  key: string | null;
}

const MOST_REMEMBERED = 4000;
const remembered = new Map<string, Remembered | null>();

/**
 * The block whose exact LaTeX is `source`, read again at most once in a while; null when it is not exactly one block.
 */
export function blockOf(source: string): Remembered | null {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  const paired = structure(source);
  const { blocks, tail } = splitWith(source, paired, false);
  const [block] = blocks;
  const one =
    block && blocks.length === 1 && !block.before && !tail
      ? { node: readBlock(source, block.kind, paired), kind: block.kind, key: null }
      : null;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(source, one);
  return one;
}
