import { mergeBlocks, type Merged } from "../latex/merge";
import { spliced } from "../latex/splice";

/** What a proposal changes in one place: `was`, from `start` to `end` of the text it was made over, becomes `latex`. */
export interface Block {
  number: number;
  start: number; // UTF-16 units of the base; the server counts code points (see `inUnits`)
  end: number;
  was: string;
  latex: string;
  safe: string; // without the citations that nobody vouches for
}

/** The blocks with their places in UTF-16 units of `base`, in their order in the text. One pass over it. */
export function inUnits(base: string, blocks: readonly Block[]): Block[] {
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

/** `base` with the chosen blocks put in. `chosen`: the text of each, by its number. */
export function withBlocks(base: string, blocks: readonly Block[], chosen: ReadonlyMap<number, string>): string {
  const changes = blocks.flatMap(({ number, start, end }) => {
    const text = chosen.get(number);
    return text === undefined ? [] : [{ from: start, to: end, text }];
  });
  return spliced(base, changes);
}

/** What is saved, and what it is to be put together with `mine` over. */
export interface Taking {
  base: string;
  text: string;
}

/**
 * The blocks `wanted` as a change over `base`, where those of `taken` stand in the text already: what was typed into
 * these since is the person's, and is not asked about again.
 */
export function taking(
  base: string,
  blocks: readonly Block[],
  taken: ReadonlyMap<number, string>,
  wanted: ReadonlyMap<number, string>,
): Taking {
  const before = new Map([...taken].filter(([number]) => !wanted.has(number)));
  return { base: withBlocks(base, blocks, before), text: withBlocks(base, blocks, new Map([...before, ...wanted])) };
}

/** `mine`, the text as it stands now, with the blocks `wanted`. */
export function put(mine: string, { base, text }: Taking): Merged {
  return mergeBlocks(base, mine, text);
}

/** Blocks that were taken at one time, by their numbers, with the text they were taken in. */
export type Take = ReadonlyMap<number, string>;

/**
 * How many of `takes`, in their order, stand in the text: undo goes back from the last, and redo forth again. What a
 * person changed of them since is theirs, and stands.
 */
export function standing(mine: string, base: string, blocks: readonly Block[], takes: readonly Take[]): number {
  if (takes.every((take) => [...take.values()].every((text) => text.trim() && mine.includes(text.trim()))))
    return takes.length;
  const all = withBlocks(base, blocks, together(takes));
  for (let count = 0; count < takes.length; count += 1) {
    const { text, conflicts } = put(mine, {
      base: all,
      text: withBlocks(base, blocks, together(takes.slice(0, count))),
    });
    if (!conflicts.length && text === mine) return count;
  }
  return takes.length;
}

export function together(takes: readonly Take[]): Map<number, string> {
  return new Map(takes.flatMap((take) => [...take]));
}
