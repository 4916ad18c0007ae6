import { hunks, type Hunk } from "./hunks";

const LONGEST = 50_000; // characters of a paragraph that is compared word by word

/**
 * Tell whether `one` contains every change that `other` made to `base`: the same words deleted and inserted, or more
 * inserted after them. Then keeping `one` loses nothing of `other`.
 */
export function containsChanges(base: string, one: string, other: string): boolean {
  if (Math.max(base.length, one.length, other.length) > LONGEST) return false;
  const [was, now, then] = [wordsOf(base), wordsOf(one), wordsOf(other)];
  const mine = new Map(hunks(was, now).map((hunk) => [`${hunk.start}-${hunk.end}`, hunk]));
  return hunks(was, then).every((hunk) => {
    const same = mine.get(`${hunk.start}-${hunk.end}`);
    return same !== undefined && beginsWith(now, same, then, hunk);
  });
}

function beginsWith(now: readonly string[], long: Hunk, then: readonly string[], short: Hunk): boolean {
  const count = short.to - short.from;
  if (count === 0) return long.from === long.to;
  if (count > long.to - long.from) return false;
  return then.slice(short.from, short.to).every((word, index) => word === now[long.from + index]);
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
}
