import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BlockJSON, DocJSON, InlineJSON, ParagraphJSON } from ".";
import { toDocument, toLatex } from ".";
import { blockKey } from "./block-keys";
import { visibleKey } from "./keys";

export const CORPUS = join(process.cwd(), "tests", "corpus");

/** Read the chapters of the corpus by name. */
export function chapters(): [string, string][] {
  return readdirSync(CORPUS)
    .filter((name) => name.endsWith(".tex"))
    .sort()
    .map((name) => [name, readFileSync(join(CORPUS, name), "utf8")]);
}

/** Create a generator of numbers in [0, 1) that is deterministic for a seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS = [
  "mortality",
  "50%",
  "snake_case",
  "{braces}",
  "a~b",
  "x^2",
  "\\alpha",
  "C:\\new",
  "10--12",
  "``quoted''",
  "Smith & Jones",
  "#1",
  "$5",
  "naïve",
  "Müller",
  "[12]",
  "क्षति",
  "θεραπεία",
  "-",
  "*",
  "'",
  "`",
  "a\u00A0b",
  "p < 0.05",
  "10–12 kg",
  "“so”",
  "%",
  "\\",
  "}",
  "(see below)",
  "5\u202Fmg",
  "---",
  "''",
  "100% of {all} $ & # _ ~ ^ \\ ",
];

export const KINDS = ["insert", "delete", "replace", "bold", "cite", "split", "join"] as const;

export interface Edit {
  kind: (typeof KINDS)[number];
  doc: DocJSON;
  /** The indexes of the first and the last block that the edit touched. */
  first: number;
  last: number;
}

type Dice = () => number;
const pick = <T>(from: readonly T[], roll: Dice): T => from[Math.floor(roll() * from.length)] as T;

/** A word in a text node of a paragraph. */
function wordIn(content: readonly InlineJSON[], roll: Dice): { index: number; from: number; to: number } | null {
  const words = content.flatMap((node, index) =>
    node.type === "text"
      ? [...node.text.matchAll(/[^\s\u00A0]+/g)].map((found) => ({
          index,
          from: found.index,
          to: found.index + found[0].length,
        }))
      : [],
  );
  return words.length ? pick(words, roll) : null;
}

/** Split content at a position in one of its text nodes. */
function cut(content: readonly InlineJSON[], index: number, at: number): [InlineJSON[], InlineJSON[]] {
  const node = content[index];
  if (node?.type !== "text") throw new Error("Only text is cut.");
  const some = (text: string): InlineJSON[] => (text ? [{ ...node, text }] : []);
  return [
    [...content.slice(0, index), ...some(node.text.slice(0, at))],
    [...some(node.text.slice(at)), ...content.slice(index + 1)],
  ];
}

function changed(kind: Edit["kind"], content: InlineJSON[], roll: Dice): InlineJSON[] | null {
  const word = wordIn(content, roll);
  if (!word) return null;
  const [head, rest] = cut(content, word.index, word.from);
  const within = content[word.index] as InlineJSON & { type: "text" };
  const [, tail] = cut(content, word.index, word.to);
  const old = within.text.slice(word.from, word.to);
  const text = (of: string): InlineJSON => ({ ...within, text: of });
  switch (kind) {
    case "insert":
      return [...head, text(`${pick(WORDS, roll)} `), ...rest];
    case "delete":
      return [...head, ...tail];
    case "replace":
      return [...head, text(pick(WORDS, roll)), ...tail];
    case "bold": {
      const marks = within.marks ?? [];
      const bold = marks.some(({ type }) => type === "bold");
      return [
        ...head,
        {
          type: "text",
          text: old,
          marks: bold ? marks.filter(({ type }) => type !== "bold") : [...marks, { type: "bold" }],
        },
        ...tail,
      ];
    }
    default:
      return [
        ...head,
        text(old),
        { type: "cite", attrs: { command: "cite", keys: ["recovery2021", "codex2020"], pre: null, post: null } },
        ...tail,
      ];
  }
}

/** Make an edit of a paragraph or of two neighbours; null when that is not possible. */
export function makeEdit(doc: DocJSON, kind: Edit["kind"], roll: Dice): Edit | null {
  const places = doc.content.flatMap((node, place) =>
    node.type === "paragraph" && node.content?.length ? [place] : [],
  );
  if (!places.length) return null;
  const first = pick(places, roll);
  const node = doc.content[first] as ParagraphJSON;
  const content = node.content ?? [];
  const put = (from: number, to: number, ...nodes: BlockJSON[]): DocJSON => ({
    type: "doc",
    content: doc.content.toSpliced(from, to - from + 1, ...nodes),
  });
  if (kind === "join") {
    const next = doc.content[first + 1];
    if (next?.type !== "paragraph") return null;
    const joined = { ...node, content: [...content, { type: "text" as const, text: " " }, ...(next.content ?? [])] };
    return { kind, doc: put(first, first + 1, joined), first, last: first + 1 };
  }
  if (kind === "split") {
    const word = wordIn(content, roll);
    if (!word) return null;
    const [head, rest] = cut(content, word.index, word.from);
    const fresh = roll() < 0.5 ? { source: null, before: null, place: null } : node.attrs;
    return {
      kind,
      doc: put(first, first, { ...node, content: head }, { type: "paragraph", attrs: fresh ?? {}, content: rest }),
      first,
      last: first,
    };
  }
  const now = changed(kind, content, roll);
  return now && { kind, doc: put(first, first, { ...node, content: now }), first, last: first };
}

/** Return the text before and after the blocks from `first` to `last`. */
export function around(doc: DocJSON, tail: string, first: number, last: number): [string, string] {
  const written = (nodes: BlockJSON[]): string =>
    nodes.map(({ attrs }) => `${attrs?.before ?? ""}${attrs?.source ?? ""}`).join("");
  return [
    written(doc.content.slice(0, first)) + (doc.content[first]?.attrs?.before ?? ""),
    written(doc.content.slice(last + 1)) + tail,
  ];
}

/** Return the keys of all blocks that show something. */
function visibleKeys(nodes: readonly BlockJSON[]): string[] {
  return nodes
    .map((node) =>
      node.type === "paragraph"
        ? visibleKey(node.content)
        : node.type === "rawBlock"
          ? node.attrs.latex.replace(/\s+/g, " ")
          : blockKey(node),
    )
    .filter((one) => one !== "");
}

/** Check that an edit changed only its blocks and is parsed back as made; return the problem, or null. */
export function findProblem(
  source: string,
  before: { doc: DocJSON; tail: string; newline: string },
  edit: Edit,
): string | null {
  const text = toLatex(edit.doc, before.tail, before.newline);
  const [prefix, suffix] = around(before.doc, before.tail, edit.first, edit.last);
  if (!source.startsWith(prefix) || !source.endsWith(suffix)) return "the blocks are not the text";
  if (!text.startsWith(prefix) || !text.endsWith(suffix) || text.length < prefix.length + suffix.length)
    return `changed more than its block: ${JSON.stringify(text.slice(prefix.length - 40, prefix.length + 300))}`;
  const again = toDocument(text).doc.content;
  const behind = before.doc.content.length - edit.last - 1;
  const sources = (nodes: readonly BlockJSON[]): string => nodes.map(({ attrs }) => attrs?.source).join("\0");
  const apart =
    sources(again.slice(0, edit.first)) === sources(before.doc.content.slice(0, edit.first)) &&
    sources(again.slice(again.length - behind)) === sources(before.doc.content.slice(edit.last + 1));
  if (!apart) return "the blocks around it are read otherwise";
  const inner = (nodes: readonly BlockJSON[]): string[] => visibleKeys(nodes.slice(edit.first, nodes.length - behind));
  const [wanted, read] = [inner(edit.doc.content), inner(again)];
  const at = wanted.findIndex((one, index) => one !== read[index]);
  if (wanted.length === read.length && at < 0) return null;
  const block = text.slice(prefix.length, text.length - suffix.length);
  return (
    `is not read as it was made:\n${JSON.stringify(block)}\n${JSON.stringify(wanted[at])}\n` +
    `${JSON.stringify(read[at])}`
  );
}

/**
 * Count the changed characters: the longer rest of old and new without their common start and end.
 */
export function countChanged(source: string, text: string): number {
  const most = Math.min(source.length, text.length);
  let [head, tail] = [0, 0];
  while (head < most && source[head] === text[head]) head++;
  while (tail < most - head && source[source.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  return Math.max(source.length, text.length) - head - tail;
}
