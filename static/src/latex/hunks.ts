import { diffIndices } from "node-diff3";
import { unchangedPairs } from "./myers";

/** A change: the old range `start` to `end` became the new range `from` to `to`. */
export interface Hunk {
  start: number;
  end: number;
  from: number;
  to: number;
}

const SMALL = 400_000; // product of two lengths up to which the exact diff is fast
const FEW = 200; // changes up to which a long repetitive list is searched

/**
 * Diff two lists; return the changes in order. Nearly linear: the common start and end are skipped, entries that occur
 * once in both lists are anchors, and only the ranges between anchors are compared exactly. A long repetitive range
 * with more than a few differences becomes a single change.
 */
export function hunks(old: readonly string[], young: readonly string[]): Hunk[] {
  const found: Hunk[] = [];
  diffRange(old, young, { start: 0, end: old.length, from: 0, to: young.length }, found);
  return found;
}

function diffRange(old: readonly string[], young: readonly string[], whole: Hunk, found: Hunk[]): void {
  let { start, end, from, to } = whole;
  while (start < end && from < to && old[start] === young[from]) [start, from] = [start + 1, from + 1];
  while (start < end && from < to && old[end - 1] === young[to - 1]) [end, to] = [end - 1, to - 1];
  if (start === end && from === to) return;
  if (start === end || from === to) {
    found.push({ start, end, from, to });
    return;
  }
  const fixed = anchors(old, young, { start, end, from, to });
  if (!fixed.length) {
    if ((end - start) * (to - from) <= SMALL) {
      diffExactly(old, young, { start, end, from, to }, found);
      return;
    }
    const same = unchangedPairs(old.slice(start, end), young.slice(from, to), FEW) ?? [];
    same.forEach(([here, there]) => fixed.push([start + here, from + there]));
    if (!same.length) {
      found.push({ start, end, from, to });
      return;
    }
  }
  let [one, other] = [start, from];
  for (const [here, there] of fixed) {
    diffRange(old, young, { start: one, end: here, from: other, to: there }, found);
    [one, other] = [here + 1, there + 1];
  }
  diffRange(old, young, { start: one, end, from: other, to }, found);
}

function diffExactly(
  old: readonly string[],
  young: readonly string[],
  { start, end, from, to }: Hunk,
  found: Hunk[],
): void {
  for (const { buffer1, buffer2 } of diffIndices(old.slice(start, end), young.slice(from, to))) {
    const [here, there] = [start + buffer1[0], from + buffer2[0]];
    found.push({ start: here, end: here + buffer1[1], from: there, to: there + buffer2[1] });
  }
}

/** Find the longest increasing sequence of entries that occur exactly once in both lists. */
function anchors(old: readonly string[], young: readonly string[], { start, end, from, to }: Hunk): [number, number][] {
  const occurrences = new Map<string, { one: number; other: number }>(); // -1: not seen, -2: more than once
  for (let at = start; at < end; at += 1) {
    const entry = occurrences.get(old[at]!);
    if (entry) entry.one = -2;
    else occurrences.set(old[at]!, { one: at, other: -1 });
  }
  for (let at = from; at < to; at += 1) {
    const entry = occurrences.get(young[at]!);
    if (entry) entry.other = entry.other === -1 ? at : -2;
  }
  return longestIncreasing(
    [...occurrences.values()].filter(({ one, other }) => one >= 0 && other >= 0).map(({ one, other }) => [one, other]),
  );
}

/** Find the longest subsequence of `pairs`, sorted by their first number, whose second increases (patience sorting). */
function longestIncreasing(pairs: [number, number][]): [number, number][] {
  const tops: number[] = []; // index into pairs, by length of the sequence that ends there
  const previous: number[] = [];
  pairs.forEach(([, other], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < other) low = middle + 1;
      else high = middle;
    }
    previous[index] = low ? tops[low - 1]! : -1;
    tops[low] = index;
  });
  const row: [number, number][] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = previous[index]!) row.push(pairs[index]!);
  return row.reverse();
}
