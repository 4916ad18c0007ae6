const ENDING = /\r\n|\r|\n/g;

/**
 * Restore the line endings of `before` in `text`, which has line feeds only. Same rule as `restore_line_endings` of
 * latex/line_endings.py. Linear in both lengths.
 */
export function restoreEndings(text: string, before: string): string {
  if (!before.includes("\r")) return text;
  const endings = before.match(ENDING) ?? [];
  const usual = mostCommon(endings);
  const lines = text.split("\n");
  const [head, tail] = countSharedLines(lines, before.split(ENDING));
  const gaps = lines.length - 1;
  const first = Math.min(head, gaps, endings.length);
  const last = Math.min(tail, gaps - first, endings.length - first);
  const parts: string[] = [];
  lines.forEach((line, at) => {
    parts.push(line);
    if (at === gaps) return;
    const ending = at < first ? endings[at] : at >= gaps - last ? endings[endings.length - (gaps - at)] : usual;
    parts.push(ending ?? usual);
  });
  const joined = parts.join("");
  // A lone CR before an empty line that ends in LF would read as one CRLF; then one ending is used for all lines.
  return joined.replace(ENDING, "\n") === text ? joined : lines.join(usual);
}

function mostCommon(endings: readonly string[]): string {
  const count = (wanted: string) => endings.filter((ending) => ending === wanted).length;
  return ["\n", "\r\n", "\r"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** Count the lines two texts share at the start, and among the rest at the end. */
function countSharedLines(one: readonly string[], other: readonly string[]): [number, number] {
  const longest = Math.min(one.length, other.length);
  let head = 0;
  while (head < longest && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < longest - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [head, tail];
}
