import { mergeBlocks, type Merged } from "../latex/merge";
import { applyChanges } from "../latex/splice";

/** One change of a proposal: replaces `was`, from `start` to `end` of the base text, with `latex`. */
export interface Block {
  number: number;
  start: number; // UTF-16 units of the base; the server counts code points (see `toUtf16Positions`)
  end: number;
  was: string;
  latex: string;
  safe: string; // without the unverified citations
}

/** Convert the blocks' positions from code points to UTF-16 units of `base`, in one pass; sort by position. */
export function toUtf16Positions(base: string, blocks: readonly Block[]): Block[] {
  const units = new Map<number, number>();
  let [points, at] = [0, 0];
  for (const wanted of [...new Set(blocks.flatMap(({ start, end }) => [start, end]))].sort(
    (one, other) => one - other,
  )) {
    while (points < wanted && at < base.length) {
      at += base.codePointAt(at)! > 0xffff ? 2 : 1;
      points += 1;
    }
    units.set(wanted, at);
  }
  return blocks
    .map((block) => ({ ...block, start: units.get(block.start)!, end: units.get(block.end)! }))
    .sort((one, other) => one.start - other.start || one.number - other.number);
}

/** Apply the `chosen` blocks to `base`. `chosen` maps a block's number to its text. */
export function applyBlocks(base: string, blocks: readonly Block[], chosen: ReadonlyMap<number, string>): string {
  const changes = blocks.flatMap(({ number, start, end }) => {
    const text = chosen.get(number);
    return text === undefined ? [] : [{ from: start, to: end, text }];
  });
  return applyChanges(base, changes);
}

/** A change to merge into the current text: `text` is `base` with the newly taken blocks. */
export interface MergeInput {
  base: string;
  text: string;
}

/**
 * Build the change that adds the blocks `wanted`. Blocks in `taken` are already in the text and count as part of its
 * base, so that edits made in them since cause no conflict.
 */
export function mergeInputFor(
  base: string,
  blocks: readonly Block[],
  taken: ReadonlyMap<number, string>,
  wanted: ReadonlyMap<number, string>,
): MergeInput {
  const before = new Map([...taken].filter(([number]) => !wanted.has(number)));
  return { base: applyBlocks(base, blocks, before), text: applyBlocks(base, blocks, new Map([...before, ...wanted])) };
}

/** Merge a change into `mine`, the current text. */
export function mergeInto(mine: string, { base, text }: MergeInput): Merged {
  return mergeBlocks(base, mine, text);
}

/** Blocks that were taken together: number to text. */
export type Take = ReadonlyMap<number, string>;

/**
 * Count how many of `takes`, in order, are in the text `mine`: undo removes the last, redo restores it. A take that was
 * edited since still counts.
 */
export function countTakesIn(mine: string, base: string, blocks: readonly Block[], takes: readonly Take[]): number {
  if (takes.every((take) => [...take.values()].every((text) => text.trim() && mine.includes(text.trim()))))
    return takes.length;
  const all = applyBlocks(base, blocks, joinTakes(takes));
  for (let count = 0; count < takes.length; count += 1) {
    const { text, conflicts } = mergeInto(mine, {
      base: all,
      text: applyBlocks(base, blocks, joinTakes(takes.slice(0, count))),
    });
    if (!conflicts.length && text === mine) return count;
  }
  return takes.length;
}

/** Merge several takes into one map; later ones win. */
export function joinTakes(takes: readonly Take[]): Map<number, string> {
  return new Map(takes.flatMap((take) => [...take]));
}
