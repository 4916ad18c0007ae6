/**
 * The shortest way from `old` to `young` by single entries taken out or put in, if it takes at most `most` of them (E. W. Myers, "An O(ND)
 * difference algorithm", 1986); the places that stay, in order, as pairs. Null where more changed.
 */
export function stays(old: readonly string[], young: readonly string[], most: number): [number, number][] | null {
  const [length, width] = [old.length, young.length];
  let reach = new Map<number, number>([[1, 0]]); // by diagonal: how far into `old`
  const trace: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(most, length + width); steps += 1) {
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let here = fromAbove(reach, diagonal, steps) ? reach.get(diagonal + 1)! : reach.get(diagonal - 1)! + 1;
      let there = here - diagonal;
      while (here < length && there < width && old[here] === young[there]) [here, there] = [here + 1, there + 1];
      next.set(diagonal, here);
      if (here >= length && there >= width) return back(trace, length, width);
    }
    reach = next;
  }
  return null;
}

function fromAbove(reach: ReadonlyMap<number, number>, diagonal: number, steps: number): boolean {
  if (diagonal === -steps) return true;
  return diagonal !== steps && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

function back(trace: readonly ReadonlyMap<number, number>[], length: number, width: number): [number, number][] {
  const kept: [number, number][] = [];
  let [here, there] = [length, width];
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps]!;
    const diagonal = here - there;
    const previous = fromAbove(reach, diagonal, steps) ? diagonal + 1 : diagonal - 1;
    const [wasHere, wasThere] = steps ? [reach.get(previous)!, reach.get(previous)! - previous] : [0, 0];
    while (here > wasHere && there > wasThere) kept.push([(here -= 1), (there -= 1)]);
    [here, there] = [wasHere, wasThere];
  }
  return kept.reverse();
}
