import { chunksOf, type Chunk } from "./chunks";
import { containsChanges } from "./contains-change";
import { hunks, type Hunk } from "./hunks";

/** A conflict: both sides changed the same paragraphs. The texts include the empty lines before; "" means deleted. */
export interface Conflict {
  base: string;
  mine: string;
  theirs: string;
  at: number; // position of `mine` in the merged text, in UTF-16 units
}

/** The result of a merge. */
export interface Merged {
  text: string; // contains `mine` for each conflict
  conflicts: Conflict[];
}

/**
 * Merge two texts that were both based on `base`, paragraph by paragraph (three-way merge). Paragraphs that both sides
 * changed become conflicts, unless one change contains the other. Everything either side wrote is in the text or in a
 * conflict. Nearly linear time.
 */
export function mergeBlocks(base: string, mine: string, theirs: string): Merged {
  if (mine === theirs || theirs === base) return { text: mine, conflicts: [] };
  if (mine === base) return { text: theirs, conflicts: [] };
  const [old, here, there] = [chunksOf(base), chunksOf(mine), chunksOf(theirs)];
  const out = new MergedText(newlineOf(mine) ?? newlineOf(theirs) ?? "\n");
  let [at, shiftHere, shiftThere] = [0, 0, 0];
  const unchanged = (end: number) => {
    for (; at < end; at += 1) out.add(mergeUnchanged(old[at]!, here[at + shiftHere]!, there[at + shiftThere]!));
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
        : autoResolve(old.slice(start, end), ours, others, [...inMine, ...inTheirs]);
    if (chosen) chosen.forEach((chunk) => out.add(chunk));
    else out.conflict(old.slice(start, end), ours, others);
    [at, shiftHere, shiftThere] = [end, shiftHere + longerHere, shiftThere + longerThere];
  }
  unchanged(old.length);
  return { text: out.text, conflicts: out.conflicts };
}

/** Build the text after all conflicts were decided; `chosen` has the text for each of them. */
export function resolveConflicts(merged: Merged, chosen: readonly string[]): string {
  const newline = newlineOf(merged.text) ?? "\n";
  let [text, at] = ["", 0];
  merged.conflicts.forEach((conflict, index) => {
    text = joinParagraphs(text, merged.text.slice(at, conflict.at), newline);
    text = joinParagraphs(text, chosen[index] ?? conflict.mine, newline);
    at = conflict.at + conflict.mine.length;
  });
  return joinParagraphs(text, merged.text.slice(at), newline);
}

/** Join mine and theirs as separate paragraphs. Those that both begin or end with, such as a heading, stand once. */
export function keepBoth({ mine, theirs }: Conflict): string {
  const newline = newlineOf(mine) ?? newlineOf(theirs) ?? "\n";
  const [ours, others] = [chunksOf(mine), chunksOf(theirs)];
  let [start, end] = [0, 0];
  const shorter = Math.min(ours.length, others.length);
  while (start < shorter && ours[start]!.key === others[start]!.key) start += 1;
  while (end < shorter - start && ours.at(-1 - end)!.key === others.at(-1 - end)!.key) end += 1;
  const textOf = (chunks: Chunk[]) => chunks.map(({ before, source }) => before + source).join("");
  return [
    textOf(ours.slice(0, ours.length - end)),
    textOf(others.slice(start, others.length - end)),
    textOf(ours.slice(ours.length - end)),
  ].reduce((text, part) => joinParagraphs(text, part, newline));
}

interface Region {
  start: number;
  end: number;
  inMine: Hunk[];
  inTheirs: Hunk[];
}

/** Group the changes of both sides: changes to the same paragraphs or insertions at the same place form one region. */
function regions(mine: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const all = [...mine.map((hunk) => ({ hunk, own: true })), ...theirs.map((hunk) => ({ hunk, own: false }))];
  all.sort((one, other) => one.hunk.start - other.hunk.start || one.hunk.end - other.hunk.end);
  const found: Region[] = [];
  for (const { hunk, own } of all) {
    let last = found.at(-1);
    if (!last || !overlaps(last, hunk))
      found.push((last = { start: hunk.start, end: hunk.end, inMine: [], inTheirs: [] }));
    last.end = Math.max(last.end, hunk.end);
    (own ? last.inMine : last.inTheirs).push(hunk);
  }
  return found;
}

/** Tell whether `next`, which starts no earlier, overlaps `region`. Insertions next to a changed paragraph do not. */
function overlaps(region: Region, next: Hunk): boolean {
  if (next.start === next.end && region.start === region.end) return next.start === region.start;
  if (region.start === region.end) return false;
  return next.start < region.end && (next.start < next.end || next.start > region.start);
}

/** Resolve a region that both sides changed without asking; null when a person has to decide. */
function autoResolve(old: Chunk[], mine: Chunk[], theirs: Chunk[], changes: readonly Hunk[]): Chunk[] | null {
  const [was, one, other] = [old, mine, theirs].map((chunks) => chunks.map(({ key }) => key).join("\n\n")) as [
    string,
    string,
    string,
  ];
  if (one === other) return mine;
  if (changes.every(({ from, to }) => from === to)) return []; // both only deleted paragraphs
  if (!mine.length || !theirs.length) return null;
  if (containsChanges(was, one, other)) return mine;
  if (containsChanges(was, other, one)) return theirs;
  return null;
}

/** Merge an unchanged paragraph, whose line endings or empty lines before it may differ. */
function mergeUnchanged(old: Chunk, mine: Chunk, theirs: Chunk): Chunk {
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

/** Builds the merged text and keeps paragraphs from different sides separate. */
class MergedText {
  conflicts: Conflict[] = [];
  private parts: string[] = [];
  private length = 0;
  private begun = false; // true once there is a paragraph

  constructor(private readonly newline: string) {}

  get text(): string {
    return this.parts.join("");
  }

  add({ before, source }: Chunk): void {
    this.write(source && this.begun ? before + missingNewlines(before, this.newline) : before);
    this.write(source);
    this.begun ||= source !== "";
  }

  conflict(base: readonly Chunk[], mine: readonly Chunk[], theirs: readonly Chunk[]): void {
    const at = this.length;
    const [parts, begun] = [this.parts.length, this.begun];
    mine.forEach((chunk) => this.add(chunk));
    const myText = this.parts.slice(parts).join("");
    this.begun = begun || mine.length > 0 || theirs.length > 0;
    this.conflicts.push({ base: joinChunks(base), mine: myText, theirs: joinChunks(theirs), at });
  }

  private write(part: string): void {
    this.parts.push(part);
    this.length += part.length;
  }
}

function joinChunks(chunks: readonly Chunk[]): string {
  return chunks.map(({ before, source }) => before + source).join("");
}

function newlineOf(text: string): string | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0];
}

/** Join two texts with an empty line between them if there is none. */
function joinParagraphs(left: string, right: string, newline: string): string {
  if (!/\S/.test(left) || !/\S/.test(right)) return left + right;
  return (
    left +
    missingNewlines(`${/\s*$/.exec(left.slice(-200))?.[0] ?? ""}${/^\s*/.exec(right)?.[0] ?? ""}`, newline) +
    right
  );
}

/** Return the newlines that `between` lacks for an empty line. */
function missingNewlines(between: string, newline: string): string {
  const ends = between.match(/\r\n|\r|\n/g)?.length ?? 0;
  return newline.repeat(Math.max(0, 2 - ends));
}
