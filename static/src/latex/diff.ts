import { unchangedPairs } from "./myers";

const MAX_CHANGES = 400; // insertions and deletions; a text with more is compared by words
const MAX_WORDS = 2_000; // inserted and deleted words; a text with more is written anew

/** Match two lists of keys: return increasing pairs of an index in `before` and one in `after`. */
export function matchingPairs(before: readonly string[], after: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) found.push([head, head++]);
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [old, young] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const pairs = old.length && young.length ? (unchangedPairs(old, young, MAX_CHANGES) ?? wordPairs(old, young)) : [];
  for (const [one, other] of pairs) found.push([one + head, other + head]);
  for (let left = tail; left > 0; left--) found.push([before.length - left, after.length - left]);
  return found;
}

/** Match the words of two lists of keys, such as a paragraph in which a word was replaced many times. */
function wordPairs(old: readonly string[], young: readonly string[]): [number, number][] {
  const [oldWords, youngWords] = [wordsOf(old), wordsOf(young)];
  const same = unchangedPairs(
    oldWords.map(({ word }) => word),
    youngWords.map(({ word }) => word),
    MAX_WORDS,
  );
  return (same ?? []).flatMap(([one, other]) => {
    const [{ at, size }, there] = [oldWords[one]!, youngWords[other]!.at];
    return Array.from({ length: size }, (_, step): [number, number] => [at + step, there + step]);
  });
}

/** Join letters and figures to words; every other key stands alone. */
function wordsOf(keys: readonly string[]): { word: string; at: number; size: number }[] {
  const words: { word: string; at: number; size: number }[] = [];
  let isOpen = false;
  keys.forEach((key, at) => {
    const isLetter = /^[\p{L}\p{N}\p{M}]$/u.test(key);
    const last = words[words.length - 1];
    if (isLetter && isOpen && last) {
      last.word += key;
      last.size += 1;
    } else words.push({ word: key, at, size: 1 });
    isOpen = isLetter;
  });
  return words;
}
