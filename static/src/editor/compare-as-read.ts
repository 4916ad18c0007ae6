import { toDocument, type BlockJSON } from "../latex";
import type { InlineJSON } from "../latex/document";
import { hunks } from "../latex/hunks";
import { setInline } from "./typeset-words";

/** A word, a space, a formula, a citation or the end of a paragraph. `key` is equal for equal pieces. */
interface Piece {
  key: string;
  draw(): Node | string;
  /** Begins a paragraph of this class. */
  opens?: string;
  /** Stands for a table, a figure or other LaTeX, whose differences are not shown word by word. */
  isBlock?: boolean;
}

/**
 * Return two texts as they are read, in paragraphs, with their differences marked. null when they differ in more than
 * words (a table, a figure, LaTeX that is not known), or in their LaTeX alone.
 */
export function compareAsRead(one: string, other: string): [Node[], Node[]] | null {
  const [here, there] = [piecesOf(one), piecesOf(other)];
  if (!here || !there) return null;
  const found = hunks(
    here.map(({ key }) => key),
    there.map(({ key }) => key),
  );
  const differs = [
    ...found.flatMap(({ start, end }) => here.slice(start, end)),
    ...found.flatMap(({ from, to }) => there.slice(from, to)),
  ];
  if (!found.length || differs.some(({ isBlock }) => isBlock)) return null;
  const changedHere = found.map(({ start, end }) => [start, end] as const);
  const changedThere = found.map(({ from, to }) => [from, to] as const);
  return [paragraphs(here, changedHere), paragraphs(there, changedThere)];
}

const PLACES = new Set(["before", "place"]); // where a block stands in its text
const NAMES: Record<string, string> = { table: "Table", figure: "Figure", mathBlock: "Formula" };

function piecesOf(latex: string): Piece[] | null {
  const { doc, faults } = toDocument(latex);
  if (faults.length) return null;
  const pieces: Piece[] = [];
  for (const block of doc.content) addBlock(block, pieces);
  return pieces;
}

function addBlock(block: BlockJSON, pieces: Piece[], opens = "words"): void {
  switch (block.type) {
    case "paragraph":
    case "heading": {
      // The label, the level and the short title of a heading are not among its words.
      const { label, level, short } = block.type === "heading" ? block.attrs : {};
      const kind = block.type === "heading" ? "heading" : opens;
      const key = JSON.stringify(["¶", kind, level, label, short]);
      pieces.push({ key, draw: () => "", opens: kind, isBlock: Boolean(label || short) });
      for (const inline of block.content ?? []) addInline(inline, pieces);
      return;
    }
    case "bulletList":
    case "orderedList":
      for (const { content } of block.content) for (const inner of content) addBlock(inner, pieces, "item");
      return;
    case "blockquote":
      for (const inner of block.content) addBlock(inner, pieces, "quoted");
      return;
    default: {
      const key = JSON.stringify(block, (name, value: unknown) => (PLACES.has(name) ? undefined : value));
      pieces.push({ key, draw: () => NAMES[block.type] ?? "LaTeX", opens: "block", isBlock: true });
    }
  }
}

function addInline(inline: InlineJSON, pieces: Piece[]): void {
  const { marks = [] } = inline;
  if (inline.type === "text") {
    for (const [text] of inline.text.matchAll(/\s+|\S+/g)) {
      const shown = text.trim() ? text : " ";
      pieces.push({ key: JSON.stringify([shown, marks]), draw: () => setInline({ ...inline, text: shown }) });
    }
  } else if (inline.type === "softBreak") pieces.push({ key: JSON.stringify([" ", []]), draw: () => " " });
  else pieces.push({ key: JSON.stringify([inline.type, inline.attrs, marks]), draw: () => setInline(inline) });
}

function paragraphs(pieces: readonly Piece[], changed: readonly (readonly [number, number])[]): Node[] {
  const made: HTMLElement[] = [];
  let place: HTMLElement | null = null;
  let next = 0;
  pieces.forEach((piece, at) => {
    while (changed[next] && changed[next]![1] <= at) next++;
    const isChanged = changed[next] !== undefined && changed[next]![0] <= at;
    if (piece.opens || !made.length) {
      made.push(document.createElement("p"));
      made.at(-1)!.className = piece.opens ?? "words";
      place = null;
    }
    const paragraph = made.at(-1)!;
    if (!isChanged) {
      place = null;
      return paragraph.append(piece.draw());
    }
    if (!place) {
      place = document.createElement("mark");
      paragraph.append(place);
    }
    place.append(piece.draw());
  });
  for (const empty of made.flatMap((paragraph) => [...paragraph.querySelectorAll("mark:empty")])) empty.remove();
  return made;
}
