import { chunksOf, type Chunk } from "./chunks";
import { contains } from "./contains";
import { hunks, type Hunk } from "./hunks";

/**
 * Where both sides changed the same paragraphs. The texts begin with the empty lines before them; "" means taken out.
 */
export interface Conflict {
  base: string;
  mine: string;
  theirs: string;
  at: number; // where `mine` stands in the merged text, in UTF-16 units
}

export interface Merged {
  text: string; // with `mine` wherever there is a conflict
  conflicts: Conflict[];
}

/**
 * Put two texts together that were both written over `base`: what only one side changed is taken from that side,
 * paragraph by paragraph. Where both changed the same paragraph there is a conflict, unless the change of one is within
 * that of the other. What either side wrote is in the text or in a conflict. Near linear in the lengths.
 */
export function mergeBlocks(base: string, mine: string, theirs: string): Merged {
  if (mine === theirs || theirs === base) return { text: mine, conflicts: [] };
  if (mine === base) return { text: theirs, conflicts: [] };
  const [old, here, there] = [chunksOf(base), chunksOf(mine), chunksOf(theirs)];
  const out = new Text(newlineOf(mine) ?? newlineOf(theirs) ?? "\n");
  let [at, shiftHere, shiftThere] = [0, 0, 0];
  const unchanged = (end: number) => {
    for (; at < end; at += 1) out.add(oneOf(old[at]!, here[at + shiftHere]!, there[at + shiftThere]!));
  };
  for (const { start, end, inMine, inTheirs } of regions(hunksOf(old, here), hunksOf(old, there))) {
    unchanged(start);
    const grown = (list: readonly Hunk[]) =>
      list.reduce((sum, hunk) => sum + hunk.to - hunk.from - (hunk.end - hunk.start), 0);
    const [longerHere, longerThere] = [grown(inMine), grown(inTheirs)];
    const ours = here.slice(start + shiftHere, end + shiftHere + longerHere);
    const others = there.slice(start + shiftThere, end + shiftThere + longerThere);
    const chosen = !inTheirs.length
      ? ours
      : !inMine.length
        ? others
        : agreed(old.slice(start, end), ours, others, [...inMine, ...inTheirs]);
    if (chosen) chosen.forEach((chunk) => out.add(chunk));
    else out.conflict(old.slice(start, end), ours, others);
    [at, shiftHere, shiftThere] = [end, shiftHere + longerHere, shiftThere + longerThere];
  }
  unchanged(old.length);
  return { text: out.text, conflicts: out.conflicts };
}

/**
 * The whole text once every conflict of `merged` has been decided: `chosen` has the text to stand in the place of each.
 */
export function settled(merged: Merged, chosen: readonly string[]): string {
  const newline = newlineOf(merged.text) ?? "\n";
  let [text, at] = ["", 0];
  merged.conflicts.forEach((conflict, index) => {
    text = apart(text, merged.text.slice(at, conflict.at), newline);
    text = apart(text, chosen[index] ?? conflict.mine, newline);
    at = conflict.at + conflict.mine.length;
  });
  return apart(text, merged.text.slice(at), newline);
}

/** Mine and then theirs, as paragraphs of their own. */
export function both({ mine, theirs }: Conflict): string {
  return apart(mine, theirs, newlineOf(mine) ?? newlineOf(theirs) ?? "\n");
}

interface Region {
  start: number;
  end: number;
  inMine: Hunk[];
  inTheirs: Hunk[];
}

/**
 * The changes of both sides in order; those that touch the same paragraphs, or add at the same place, are one region.
 */
function regions(mine: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const all = [...mine.map((hunk) => ({ hunk, own: true })), ...theirs.map((hunk) => ({ hunk, own: false }))];
  all.sort((one, other) => one.hunk.start - other.hunk.start || one.hunk.end - other.hunk.end);
  const found: Region[] = [];
  for (const { hunk, own } of all) {
    let last = found.at(-1);
    if (!last || !touches(last, hunk))
      found.push((last = { start: hunk.start, end: hunk.end, inMine: [], inTheirs: [] }));
    last.end = Math.max(last.end, hunk.end);
    (own ? last.inMine : last.inTheirs).push(hunk);
  }
  return found;
}

/** `next` begins no earlier than `region`. What is added before or behind a changed paragraph does not touch it. */
function touches(region: Region, next: Hunk): boolean {
  if (next.start === next.end && region.start === region.end) return next.start === region.start;
  if (region.start === region.end) return false;
  return next.start < region.end && (next.start < next.end || next.start > region.start);
}

/** What stands where both changed the same paragraphs, if no person has to decide it. */
function agreed(old: Chunk[], mine: Chunk[], theirs: Chunk[], changes: readonly Hunk[]): Chunk[] | null {
  const [was, one, other] = [old, mine, theirs].map((chunks) => chunks.map(({ key }) => key).join("\n\n")) as [
    string,
    string,
    string,
  ];
  if (one === other) return mine;
  if (changes.every(({ from, to }) => from === to)) return []; // both only took paragraphs out
  if (!mine.length || !theirs.length) return null;
  if (contains(was, one, other)) return mine;
  if (contains(was, other, one)) return theirs;
  return null;
}

/** A paragraph that nobody changed, but for its line endings or the empty lines before it. */
function oneOf(old: Chunk, mine: Chunk, theirs: Chunk): Chunk {
  const pick = (was: string, one: string, other: string) => (one === was ? other : one);
  return {
    before: pick(old.before, mine.before, theirs.before),
    source: pick(old.source, mine.source, theirs.source),
    key: old.key,
  };
}

function hunksOf(old: readonly Chunk[], young: readonly Chunk[]): Hunk[] {
  const keys = (chunks: readonly Chunk[]) => chunks.map(({ key }) => key);
  return hunks(keys(old), keys(young));
}

/** The merged text as it grows; paragraphs that come from two sides are never glued together. */
class Text {
  conflicts: Conflict[] = [];
  private parts: string[] = [];
  private length = 0;
  private begun = false; // whether there is a paragraph already

  constructor(private readonly newline: string) {}

  get text(): string {
    return this.parts.join("");
  }

  add({ before, source }: Chunk): void {
    this.write(source && this.begun ? before + missing(before, this.newline) : before);
    this.write(source);
    this.begun ||= source !== "";
  }

  conflict(base: readonly Chunk[], mine: readonly Chunk[], theirs: readonly Chunk[]): void {
    const at = this.length;
    const [parts, begun] = [this.parts.length, this.begun];
    mine.forEach((chunk) => this.add(chunk));
    const standing = this.parts.slice(parts).join("");
    this.begun = begun || mine.length > 0 || theirs.length > 0;
    this.conflicts.push({ base: joined(base), mine: standing, theirs: joined(theirs), at });
  }

  private write(part: string): void {
    this.parts.push(part);
    this.length += part.length;
  }
}

function joined(chunks: readonly Chunk[]): string {
  return chunks.map(({ before, source }) => before + source).join("");
}

function newlineOf(text: string): string | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0];
}

/** `left` and `right` as paragraphs apart: with an empty line between them where there is none. */
function apart(left: string, right: string, newline: string): string {
  if (!/\S/.test(left) || !/\S/.test(right)) return left + right;
  return left + missing(`${/\s*$/.exec(left.slice(-200))?.[0] ?? ""}${/^\s*/.exec(right)?.[0] ?? ""}`, newline) + right;
}

/** What `between` lacks to hold an empty line. */
function missing(between: string, newline: string): string {
  const ends = between.match(/\r\n|\r|\n/g)?.length ?? 0;
  return newline.repeat(Math.max(0, 2 - ends));
}
