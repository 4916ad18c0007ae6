import { stays } from "./myers";

const MOST = 400; // insertions and deletions; more than that is another text, and written anew

/**
 * Where two rows of keys agree: pairs of an index in `before` and one in `after`, both rising. Given up beyond `MOST`.
 */
export function matches(before: readonly string[], after: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) found.push([head, head++]);
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [old, young] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  for (const [one, other] of (old.length && young.length && stays(old, young, MOST)) || []) {
    found.push([one + head, other + head]);
  }
  for (let left = tail; left > 0; left--) found.push([before.length - left, after.length - left]);
  return found;
}
