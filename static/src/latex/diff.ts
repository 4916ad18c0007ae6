/** Where two rows of keys agree: pairs of an index in `before` and one in `after`, both rising. Myers' O(ND), given up beyond `MOST`. */
export function matches(before: readonly string[], after: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) found.push([head, head++]);
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  for (const [one, other] of middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail))) {
    found.push([one + head, other + head]);
  }
  for (let left = tail; left > 0; left--) found.push([before.length - left, after.length - left]);
  return found;
}

const MOST = 400; // insertions and deletions; more than that is another text, and written anew

function middle(before: readonly string[], after: readonly string[]): [number, number][] {
  const [n, m] = [before.length, after.length];
  if (!n || !m) return [];
  const most = Math.min(MOST, n + m);
  const reach = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(most - d, most + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const left = reach[most + k - 1] ?? 0;
      const right = reach[most + k + 1] ?? 0;
      let x = k === -d || (k !== d && left < right) ? right : left + 1;
      while (x < n && x - k < m && before[x] === after[x - k]) x++;
      reach[most + k] = x;
      if (x >= n && x - k >= m) return traced(trace, n, m, d);
    }
  }
  return [];
}

function traced(trace: Int32Array[], n: number, m: number, distance: number): [number, number][] {
  const found: [number, number][] = [];
  let [x, y] = [n, m];
  for (let d = distance; d > 0; d--) {
    const reach = trace[d] as Int32Array; // as it stood before step d: index k + d
    const at = (k: number): number => reach[k + d] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const from = down ? k + 1 : k - 1;
    const [px, py] = [at(from), at(from) - from];
    while (x > px && y > py && (down ? x > px : x > px + 1)) found.push([--x, --y]);
    [x, y] = [px, py];
  }
  while (x > 0 && y > 0) found.push([--x, --y]);
  return found.reverse();
}
