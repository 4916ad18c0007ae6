import { unchangedPairs } from "./myers";

const MAX_CHANGES = 400; // insertions and deletions; a text with more is written anew

/**
 * Match two lists of keys: return increasing pairs of an index in `before` and one in `after`. At most `MAX_CHANGES`.
 */
export function matchingPairs(before: readonly string[], after: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) found.push([head, head++]);
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [old, young] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  for (const [one, other] of (old.length && young.length && unchangedPairs(old, young, MAX_CHANGES)) || []) {
    found.push([one + head, other + head]);
  }
  for (let left = tail; left > 0; left--) found.push([before.length - left, after.length - left]);
  return found;
}
