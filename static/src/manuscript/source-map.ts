// Where the characters of a paragraph on the page stand in the LaTeX of its section (source_map.py).

/** From character `shown` of the paragraph on, the source begins at its character `source`. Code points. */
export interface Step {
  shown: number;
  source: number;
}

/** Parse the value of `data-map`: "0:120 57:190". */
export function parseMap(text: string): Step[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((pair) => {
      const [shown, source] = pair.split(":").map(Number);
      return { shown: shown!, source: source! };
    });
}

/** Return the place in the source of a character of the paragraph; undefined where nothing of it is known. */
export function toSource(map: readonly Step[], shown: number): number | undefined {
  return across(map, "shown", "source", shown);
}

/** Return the character of the paragraph at a place in the source. */
export function toShown(map: readonly Step[], source: number): number | undefined {
  return across(map, "source", "shown", source);
}

/** Go from one side of the map to the other; a place between two steps never goes beyond the second. */
function across(map: readonly Step[], from: keyof Step, to: keyof Step, place: number): number | undefined {
  const at = map.findLastIndex((step) => step[from] <= place);
  const step = map[Math.max(at, 0)];
  if (!step) return undefined;
  const next = map[at + 1];
  const found = Math.max(step[to] + place - step[from], 0);
  return next && at >= 0 ? Math.min(found, next[to]) : found;
}
