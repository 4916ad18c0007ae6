import { outlineOf, type OutlineEntry } from "../latex/outline";
import { wordsIn } from "../latex/words";
import type { PrintedNumbers } from "../section-editor";

const PAUSE = 400; // ms without typing before the headings are read again
const DEPTHS = 2; // \section and \subsection of a chapter
const MAX_HEADINGS = 100;

/** What the outline needs of `<section-editor>`. */
interface Editor extends HTMLElement {
  readonly latex: string;
  show(offset: number): void;
}

/** A heading in the outline. */
export interface Row {
  title: string;
  depth: number;
  offset: number; // UTF-16 units
}

/** List the headings of the highest level in the text and the level below it. */
export function headingRows(entries: readonly OutlineEntry[]): Row[] {
  const highest = Math.min(...entries.map(({ level }) => level));
  return entries
    .map(({ level, title, offset }) => ({ title: plainTitle(title), depth: level - highest + 1, offset }))
    .filter(({ depth }) => depth <= DEPTHS)
    .slice(0, MAX_HEADINGS);
}

/** Strip LaTeX from a heading: `\emph{In vitro} work\label{sec:x}` becomes "In vitro work". */
export function plainTitle(title: string): string {
  const shown = title
    .replace(/~|\\\\/g, " ")
    .replace(/\\label\{[^{}]*\}|\\[a-zA-Z]+\*?\s*|(\\[,;:! ])|\\(.)|[{}]/gs, (_, space?: string, kept?: string) =>
      space ? " " : (kept ?? ""),
    );
  return shown.split(/\s+/).filter(Boolean).join(" ") || "Untitled";
}

/** Keep the headings and word count of the open section current, and scroll to a heading on click. */
export function showHeadings(panel: HTMLElement): void {
  let timer: number | undefined;
  document.addEventListener("edited", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => drawHeadings(panel), PAUSE);
  });
  panel.addEventListener("htmx:afterSettle", () => drawHeadings(panel));
  document.addEventListener("numbered", (event) => showNumbers(panel, (event as CustomEvent<PrintedNumbers>).detail));
  document.body.addEventListener("section-saved", (event) =>
    showWordCount(panel, (event as CustomEvent<{ words?: number }>).detail),
  );

  panel.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("[data-heading]");
    const editor = findEditor();
    if (!link || !editor) return;
    event.preventDefault();
    // The text may have changed since the row was drawn.
    const row = headingRows(outlineOf(editor.latex))[Number(link.dataset["heading"])];
    if (!row) return;
    editor.show(row.offset);
    editor.dispatchEvent(new CustomEvent("section-show", { bubbles: true, detail: { offset: row.offset } }));
  });
}

function findEditor(): Editor | null {
  const editor = document.querySelector<Editor>("section-editor");
  return editor && typeof editor.show === "function" ? editor : null;
}

function drawHeadings(panel: HTMLElement): void {
  const list = panel.querySelector("ol[data-headings]");
  const editor = findEditor();
  if (!list || !editor) return;
  const rows = headingRows(outlineOf(editor.latex));
  const items = [...list.children] as HTMLElement[];
  const shown = items.map((item) => `${item.dataset["depth"]} ${titleIn(item)}`);
  if (rows.length === shown.length && rows.every(({ depth, title }, at) => shown[at] === `${depth} ${title}`)) return;
  // A heading keeps its number until the numbers are loaded after a save; a new one has none.
  const numbers = new Map(items.map((item) => [titleIn(item), item.querySelector(".n")?.textContent ?? ""]));
  list.replaceChildren(...rows.map((row, at) => item(row, at, numbers.get(row.title) ?? "")));
}

function titleIn(item: HTMLElement): string {
  return item.querySelector("a > :not(.n)")?.textContent ?? "";
}

/** Show the printed numbers of the sections and of the open section's headings. */
function showNumbers(panel: HTMLElement, { sections, here }: PrintedNumbers): void {
  for (const [slug, printed] of Object.entries(sections)) {
    const place = panel.querySelector(`li[data-section="${CSS.escape(slug)}"] > .at .n`);
    if (place) place.textContent = printed;
    const opened = panel.querySelector(`li[data-section="${CSS.escape(slug)}"] a[aria-current]`);
    const over = document.querySelector("#heading [data-printed]");
    if (opened && over) over.textContent = printed && `${printed}\u2003`;
  }
  const list = panel.querySelector("ol[data-headings]");
  const byPlace = new Map(here.map(({ start, number }) => [start, number]));
  list?.replaceChildren(
    ...headingRows(outlineOf(findEditor()?.latex ?? "")).map((row, at) => item(row, at, byPlace.get(row.offset) ?? "")),
  );
}

function item({ title, depth }: Row, at: number, number: string): HTMLElement {
  const listItem = document.createElement("li");
  const link = document.createElement("a");
  const words = document.createElement("span");
  listItem.dataset["depth"] = String(depth);
  link.href = "#text";
  words.textContent = title;
  if (number) {
    const before = document.createElement("span");
    Object.assign(before, { className: "n", textContent: number });
    link.append(before, " ");
  }
  link.append(words);
  link.dataset["heading"] = String(at);
  listItem.append(link);
  return listItem;
}

/** Update the word counts of the open section and of the thesis after a save. */
function showWordCount(
  panel: HTMLElement,
  { words = wordsIn(findEditor()?.latex ?? "") }: { words?: number } = {},
): void {
  const place = panel.querySelector("a[aria-current] [data-words]");
  const total = panel.querySelector("[data-total]");
  if (!place || !total) return;
  const before = numberIn(place.textContent);
  place.textContent = words ? words.toLocaleString("en-GB") : "";
  if (words) {
    const unit = document.createElement("span");
    Object.assign(unit, { className: "vh", textContent: words === 1 ? " word" : " words" });
    place.append(unit);
  }
  const all = numberIn(total.textContent) - before + words;
  total.textContent = `${all.toLocaleString("en-GB")} ${all === 1 ? "word" : "words"}`;
}

function numberIn(text: string | null): number {
  return Number((text ?? "").replace(/\D/g, "")) || 0;
}
