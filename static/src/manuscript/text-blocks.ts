// Paragraphs, headings and cells of the manuscript ("leaves"), and the characters in them that are the author's.
import { parseMap, toShown, toSource, type Step } from "./source-map";

type Place = { source: number; leaf: HTMLElement };

const maps = new WeakMap<HTMLElement, Step[]>();
const chapters = new WeakMap<HTMLElement, Place[]>();

/** Return the leaf around a node. */
export function leafOf(node: Node | null): HTMLElement | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.closest<HTMLElement>("[data-map]") ?? null;
}

/** Return the map of a leaf to the source. */
export function mapOf(leaf: HTMLElement): Step[] {
  let map = maps.get(leaf);
  if (!map) maps.set(leaf, (map = parseMap(leaf.dataset.map ?? "")));
  return map;
}

/** Return the place in the source, in code points, of a position in the page; undefined outside the text. */
export function sourceAt(node: Node, offset: number): number | undefined {
  const leaf = leafOf(node);
  return leaf ? toSource(mapOf(leaf), textBefore(leaf, node, offset)) : undefined;
}

/** Return the leaf of a chapter that shows a place in the source, and the character in it. */
export function leafAt(chapter: HTMLElement, source: number): { leaf: HTMLElement; shown: number } | undefined {
  // The last known place before it, since a footnote stands in the middle of its paragraph
  const places = placesOf(chapter);
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.source ?? 0) <= source) low = middle + 1;
    else high = middle;
  }
  const leaf = places[low - 1]?.leaf ?? chapter.querySelector<HTMLElement>("[data-map]") ?? undefined;
  return leaf && { leaf, shown: toShown(mapOf(leaf), source) ?? 0 };
}

/** Return where the distance to the source changes in a chapter, in the order of the source: read once. */
function placesOf(chapter: HTMLElement): Place[] {
  let places = chapters.get(chapter);
  if (!places) {
    const leaves = [...chapter.querySelectorAll<HTMLElement>("[data-map]")];
    places = leaves.flatMap((leaf) => mapOf(leaf).map(({ source }) => ({ source, leaf })));
    places.sort((one, other) => one.source - other.source);
    chapters.set(chapter, places);
  }
  return places;
}

/** Return the range of the words between two places in the source of a chapter. */
export function rangeBetween(chapter: HTMLElement, start: number, end: number): Range | undefined {
  const from = leafAt(chapter, start);
  const to = leafAt(chapter, Math.max(start, end - 1));
  const begin = from && positionIn(from.leaf, from.shown);
  const finish = to && positionIn(to.leaf, to.shown + 1);
  if (!begin || !finish) return undefined;
  const range = document.createRange();
  range.setStart(begin.node, begin.offset);
  range.setEnd(finish.node, finish.offset);
  return range;
}

/** Return the author's words within a range, from the first to the last, in the chapter where it begins. */
export function wordsIn(range: Range): Range | undefined {
  const chapter = leafOf(range.startContainer)?.closest(".chapter") ?? leafAfter(range)?.closest(".chapter");
  if (!chapter) return undefined;
  const texts: Text[] = [];
  for (const leaf of chapter.querySelectorAll<HTMLElement>("[data-map]"))
    if (range.intersectsNode(leaf))
      for (const text of ownTexts(leaf)) if (range.intersectsNode(text) && text.data.trim()) texts.push(text);
  // A boundary may touch a text without any of its characters: a triple click ends at the start of the next paragraph.
  const begin = (text: Text): number => (text === range.startContainer ? range.startOffset : 0);
  const end = (text: Text): number => (text === range.endContainer ? range.endOffset : text.length);
  const touched = texts.filter((text) => text.data.slice(begin(text), end(text)).trim());
  const [first, last] = [touched[0], touched[touched.length - 1]];
  if (!first || !last) return undefined;
  const words = document.createRange();
  words.setStart(first, begin(first));
  words.setEnd(last, end(last));
  return words;
}

function leafAfter(range: Range): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>("[data-map]")].find((leaf) => range.intersectsNode(leaf));
}

/** Count the author's characters of a leaf before a position, in code points. */
function textBefore(leaf: HTMLElement, node: Node, offset: number): number {
  const range = document.createRange();
  range.setStart(leaf, 0);
  range.setEnd(node, offset);
  let count = 0;
  for (const text of ownTexts(leaf)) {
    if (!range.intersectsNode(text)) break;
    const whole = text.data;
    count += codePoints(text === range.endContainer ? whole.slice(0, range.endOffset) : whole);
  }
  return count;
}

function positionIn(leaf: HTMLElement, shown: number): { node: Text; offset: number } | undefined {
  let left = shown;
  let last: Text | undefined;
  for (const text of ownTexts(leaf)) {
    const length = codePoints(text.data);
    if (left <= length) return { node: text, offset: [...text.data].slice(0, left).join("").length };
    left -= length;
    last = text;
  }
  return last && { node: last, offset: last.data.length };
}

/** The text nodes of a leaf, without those that Scholium adds (`data-set`). */
function* ownTexts(leaf: HTMLElement): Generator<Text> {
  const walker = document.createTreeWalker(leaf, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof HTMLElement && node.hasAttribute("data-set") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node instanceof Text) yield node;
}

function codePoints(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length;
}
