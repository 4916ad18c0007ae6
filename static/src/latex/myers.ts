/**
 * Find the entries that stay in the shortest edit from `old` to `young`, as pairs of indexes in order; null when it
 * needs more than `most` insertions and deletions. E. W. Myers, "An O(ND) difference algorithm", 1986.
 */
export function unchangedPairs(
  old: readonly string[],
  young: readonly string[],
  most: number,
): [number, number][] | null {
  const [length, width] = [old.length, young.length];
  const limit = Math.min(most, length + width);
  const zero = limit + 1; // index of diagonal 0 in `reach`
  const reach = new Int32Array(2 * limit + 3); // furthest index in `old` by diagonal
  const trace: Int32Array[] = []; // `reach` before each step, from diagonal -step to step
  for (let steps = 0; steps <= limit; steps += 1) {
    trace.push(reach.slice(zero - steps, zero + steps + 1));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const at = zero + diagonal;
      let here = fromAbove(reach, at, diagonal, steps) ? reach[at + 1]! : reach[at - 1]! + 1;
      let there = here - diagonal;
      while (here < length && there < width && old[here] === young[there]) [here, there] = [here + 1, there + 1];
      reach[at] = here;
      if (here >= length && there >= width) return backtrack(trace, length, width);
    }
  }
  return null;
}

/** Tell whether the path to `diagonal`, at index `at` of `reach`, comes from the diagonal above. */
function fromAbove(reach: Int32Array, at: number, diagonal: number, steps: number): boolean {
  return diagonal === -steps || (diagonal !== steps && reach[at - 1]! < reach[at + 1]!);
}

function backtrack(trace: readonly Int32Array[], length: number, width: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [here, there] = [length, width];
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps]!;
    const diagonal = here - there;
    const previous = fromAbove(reach, steps + diagonal, diagonal, steps) ? diagonal + 1 : diagonal - 1;
    const [wasHere, wasThere] = steps ? [reach[steps + previous]!, reach[steps + previous]! - previous] : [0, 0];
    while (here > wasHere && there > wasThere) pairs.push([(here -= 1), (there -= 1)]);
    [here, there] = [wasHere, wasThere];
  }
  return pairs.reverse();
}
