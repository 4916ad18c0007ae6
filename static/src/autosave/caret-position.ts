import { chunksOf } from "../latex/chunks";
import { hunks } from "../latex/hunks";

/** Map the position `at` (UTF-16 units) from text `was` to text `now`, staying on the same words where they remain. */
export function mapCaret(was: string, now: string, at: number): number {
  return was === now ? at : Math.max(0, Math.min(now.length, moved(was, now, at)));
}

function moved(was: string, now: string, at: number): number {
  const [old, young] = [chunksOf(was), chunksOf(now)];
  const [from, to] = [starts(old), starts(young)];
  let place = old.findIndex((chunk, index) => at <= (from[index] ?? 0) + chunk.source.length);
  if (place < 0) place = old.length;
  if (place === old.length) return now.length - (was.length - at);
  let shift = 0;
  for (const hunk of hunks(
    old.map(({ key }) => key),
    young.map(({ key }) => key),
  )) {
    if (hunk.end <= place && !(hunk.start === hunk.end && hunk.start === place + 1))
      shift += hunk.to - hunk.from - (hunk.end - hunk.start);
    else if (hunk.start <= place && place < hunk.end) {
      // The paragraph changed: keep the position relative to the common start, else to the common end.
      const index = Math.min(hunk.from + (place - hunk.start), Math.max(hunk.from, hunk.to - 1));
      const [one, other] = [old[place]?.source ?? "", hunk.from < hunk.to ? (young[index]?.source ?? "") : ""];
      return (to[index] ?? now.length) + within(one, other, at - (from[place] ?? 0));
    }
  }
  return (to[place + shift] ?? now.length) + at - (from[place] ?? 0);
}

function starts(chunks: readonly { before: string; source: string }[]): number[] {
  let at = 0;
  return chunks.map(({ before, source }) => {
    const start = at + before.length;
    at = start + source.length;
    return start;
  });
}

function within(one: string, other: string, at: number): number {
  const shortest = Math.min(one.length, other.length);
  let head = 0;
  while (head < shortest && one[head] === other[head]) head += 1;
  if (at <= head) return at;
  let tail = 0;
  while (tail < shortest - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return at >= one.length - tail ? other.length - (one.length - at) : Math.min(other.length - tail, at);
}
