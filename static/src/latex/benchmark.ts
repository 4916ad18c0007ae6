/**
 * Measurements for the benchmarks (tests/benchmarks/editing.py): prints one line of JSON. Run from the project's
 * folder.
 */
import { toDocument, toLatex } from ".";
import { chapters, dice, makeEdit, KINDS, findProblem } from "./edits.test-data";

const EDITS = 1000;
const TIMES = 7;
const PARAGRAPHS = 300;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Return the median time of parsing in ms. The text differs each time, so that no cache helps. */
function reading(source: string): number {
  const times = Array.from({ length: TIMES }, (_, time) => {
    const fresh = source.replace(/ the /g, ` the${"e".repeat(time + 1)} `);
    const begun = performance.now();
    toDocument(fresh);
    return performance.now() - begun;
  });
  return median(times);
}

const corpus = chapters();
const read = corpus.map(([, source]) => ({ source, ...toDocument(source) }));
const same = read.filter(({ source, doc, tail, newline }) => toLatex(doc, tail, newline) === source).length;
const roll = dice(11);
let [made, kept] = [0, 0];
while (made < EDITS) {
  const chapter = read[made % read.length] as (typeof read)[number];
  const edit = makeEdit(chapter.doc, KINDS[Math.floor(roll() * KINDS.length)] as (typeof KINDS)[number], roll);
  if (!edit) continue;
  made++;
  if (findProblem(chapter.source, chapter, edit) === null) kept++;
}
const paragraphs = read.flatMap(({ doc }) =>
  doc.content.flatMap(({ type, attrs }) => (type === "paragraph" ? [attrs?.source ?? ""] : [])),
);
const long = Array.from(
  { length: PARAGRAPHS },
  (_, index) => `Number ${index}: the ${paragraphs[index % paragraphs.length]}`,
).join("\n\n");
const times = corpus.map(([, source]) => reading(source));
const lines = corpus.reduce((sum, [, source]) => sum + source.split("\n").length, 0);
console.log(
  JSON.stringify({
    chapters: corpus.length,
    lines,
    same,
    edits: made,
    kept,
    median: median(times),
    most: Math.max(...times),
    long: reading(long),
    characters: long.length,
  }),
);
