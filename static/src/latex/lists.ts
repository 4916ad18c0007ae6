import { isBlankLine, skipBlanks, split, type Block } from "./blocks";
import type { BlockquoteJSON, ListItemJSON, ListJSON, ParagraphJSON } from "./document";
import { contentOf, unitsOf } from "./inline";
import { nameAt, structure, wordEnd } from "./structure";

const ENVIRONMENTS: Record<string, ListJSON["type"]> = { itemize: "bulletList", enumerate: "orderedList" };
/** The environment of each kind of list. */
export const LIST_ENVIRONMENT: Record<ListJSON["type"], string> = { bulletList: "itemize", orderedList: "enumerate" };
const DEEPEST = 8;

/** The source of a list item, so that unchanged parts are written as they were. */
export interface Item {
  /** White space before `\item`. */
  gap: string;
  /** `\item` with the white space after it. */
  lead: string;
  parts: Part[];
}

/** A nested node with its source block; null for an empty paragraph that the editor requires. */
export interface Part {
  block: Block | null;
  node: ParagraphJSON | ListJSON;
}

/** A parsed list. */
export interface List {
  env: string;
  /** The source up to the end of its options. */
  opening: string;
  options: string | null;
  items: Item[];
  /** White space and `\end{...}`. */
  closing: string;
  node: ListJSON;
}

/**
 * Parse a list; null when the editor could not write it back: items with labels, or content other than text and lists.
 */
export function readList(source: string, depth = 0): List | null {
  const env = source.startsWith("\\begin") ? (nameAt(source, 6) ?? "") : "";
  const type = Object.hasOwn(ENVIRONMENTS, env) ? ENVIRONMENTS[env] : undefined;
  if (!type || depth > DEEPEST) return null;
  const { ends } = structure(source);
  let at = env.length + 8;
  let options: string | null = null;
  if (source[at] === "[") {
    const end = ends[at] ?? 0;
    if (!end) return null;
    options = source.slice(at + 1, end - 1);
    at = end;
  }
  const opening = source.slice(0, at);
  const finish = source.length - env.length - 6;
  const starts = itemsIn(source, at, finish, ends);
  if (!starts?.length || skipBlanks(source, at) !== starts[0]) return null;
  const items: Item[] = [];
  let gap = source.slice(at, starts[0]);
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? finish;
    const begin = Math.min(skipBlanks(source, start + 5), end);
    const lead = source.slice(start, begin);
    if (source[begin] === "[" || isBlankLine(lead)) return null;
    const { blocks, tail } = split(source.slice(begin, end));
    const parts = partsOf(blocks, depth);
    if (!parts) return null;
    items.push({ gap, lead, parts });
    gap = tail;
  }
  const content = items.map((item): ListItemJSON => ({
    type: "listItem",
    content: item.parts.map(({ node }) => node),
  }));
  return {
    env,
    opening,
    options,
    items,
    closing: gap + source.slice(finish),
    node: { type, attrs: { options }, content },
  };
}

/** Find the `\item`s of a list; null when one has a label or an overlay. */
function itemsIn(source: string, at: number, end: number, ends: Int32Array): number[] | null {
  const found: number[] = [];
  while (at < end) {
    const code = source.charCodeAt(at);
    const over = code === 91 ? 0 : (ends[at] ?? 0);
    if (over) {
      at = over;
    } else if (code === 92) {
      const after = wordEnd(source, at + 1);
      if (source.slice(at + 1, after) === "item") {
        if (source[after] === "[" || source[after] === "<") return null;
        found.push(at);
      }
      at = Math.max(after, at + 2);
    } else {
      at++;
    }
  }
  return found;
}

function partsOf(blocks: Block[], depth: number): Part[] | null {
  const parts: Part[] = [];
  for (const block of blocks) {
    if (block.kind === "paragraph" || block.kind === "comment") {
      const units = unitsOf(block.source);
      if (!units) return null;
      parts.push({ block, node: { type: "paragraph", content: contentOf(units) } });
    } else {
      const list = block.kind === "list" ? readList(block.source, depth + 1) : null;
      if (!list) return null;
      parts.push({ block, node: list.node });
    }
  }
  if (parts[0]?.node.type !== "paragraph") parts.unshift({ block: null, node: { type: "paragraph" } });
  return parts;
}

/** A parsed quotation. */
export interface Quote {
  env: string;
  opening: string;
  parts: Part[];
  closing: string;
  node: BlockquoteJSON;
}

/** Parse a quotation; null when it contains more than paragraphs. */
export function readQuote(source: string): Quote | null {
  const env = nameAt(source, 6) ?? "";
  const start = env.length + 8;
  const finish = source.length - env.length - 6;
  if (!/^quot(e|ation)$/.test(env) || source[start] === "[") return null;
  const { blocks, tail } = split(source.slice(start, finish));
  const [first] = blocks;
  const parts = first && partsOf([{ ...first, before: "" }, ...blocks.slice(1)], DEEPEST);
  if (!first || !parts?.every(({ block, node }) => block && node.type === "paragraph")) return null;
  const content = parts.map(({ node }) => node as ParagraphJSON);
  const opening = source.slice(0, start) + first.before;
  return {
    env,
    opening,
    parts,
    closing: tail + source.slice(finish),
    node: { type: "blockquote", attrs: { env }, content },
  };
}
