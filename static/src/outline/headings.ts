import { outlineOf, type OutlineEntry } from "../latex/outline";
import { wordsIn } from "../latex/words";
import type { Printed } from "../section-editor";

const PAUSE = 400; // ms after the last key before the headings are read again
const DEPTHS = 2; // \section and \subsection of a chapter
const MOST = 100;

/** What the outline needs of `<section-editor>`. */
interface Editor extends HTMLElement {
  readonly latex: string;
  show(offset: number): void;
}

export interface Row {
  title: string;
  depth: number;
  offset: number; // UTF-16 units
}

/** The headings to list: those of the highest kind in the text, and one below. */
export function rowsOf(entries: readonly OutlineEntry[]): Row[] {
  const highest = Math.min(...entries.map(({ level }) => level));
  return entries
    .map(({ level, title, offset }) => ({ title: plain(title), depth: level - highest + 1, offset }))
    .filter(({ depth }) => depth <= DEPTHS)
    .slice(0, MOST);
}

/** The words of a heading: `\emph{In vitro} work\label{sec:x}` is In vitro work. */
export function plain(title: string): string {
  const shown = title
    .replace(/~|\\\\/g, " ")
    .replace(/\\label\{[^{}]*\}|\\[a-zA-Z]+\*?\s*|(\\[,;:! ])|\\(.)|[{}]/gs, (_, space?: string, kept?: string) =>
      space ? " " : (kept ?? ""),
    );
  return shown.split(/\s+/).filter(Boolean).join(" ") || "Untitled";
}

/**
 * Keep the headings under the open section as they stand in the text, lead to them, and keep its words after each save.
 */
export function showHeadings(panel: HTMLElement): void {
  let timer: number | undefined;
  document.addEventListener("edited", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => draw(panel), PAUSE);
  });
  panel.addEventListener("htmx:afterSettle", () => draw(panel));
  document.addEventListener("numbered", (event) => number(panel, (event as CustomEvent<Printed>).detail));
  document.body.addEventListener("section-saved", (event) =>
    count(panel, (event as CustomEvent<{ words?: number }>).detail),
  );

  panel.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("[data-heading]");
    const editor = theEditor();
    if (!link || !editor) return;
    event.preventDefault();
    // Read anew: the text may have moved since the row was drawn.
    const row = rowsOf(outlineOf(editor.latex))[Number(link.dataset["heading"])];
    if (!row) return;
    editor.show(row.offset);
    editor.dispatchEvent(new CustomEvent("section-show", { bubbles: true, detail: { offset: row.offset } }));
  });
}

function theEditor(): Editor | null {
  const editor = document.querySelector<Editor>("section-editor");
  return editor && typeof editor.show === "function" ? editor : null;
}

function draw(panel: HTMLElement): void {
  const list = panel.querySelector("ol[data-headings]");
  const editor = theEditor();
  if (!list || !editor) return;
  const rows = rowsOf(outlineOf(editor.latex));
  const items = [...list.children] as HTMLElement[];
  const shown = items.map((item) => `${item.dataset["depth"]} ${titleIn(item)}`);
  if (rows.length === shown.length && rows.every(({ depth, title }, at) => shown[at] === `${depth} ${title}`)) return;
  // A heading keeps its number until what is saved is counted anew; a new one has none.
  const numbers = new Map(items.map((item) => [titleIn(item), item.querySelector(".n")?.textContent ?? ""]));
  list.replaceChildren(...rows.map((row, at) => item(row, at, numbers.get(row.title) ?? "")));
}

function titleIn(item: HTMLElement): string {
  return item.querySelector("a > :not(.n)")?.textContent ?? "";
}

/** The numbers of the sections and of the headings below the open one, as they are printed. */
function number(panel: HTMLElement, { sections, here }: Printed): void {
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
    ...rowsOf(outlineOf(theEditor()?.latex ?? "")).map((row, at) => item(row, at, byPlace.get(row.offset) ?? "")),
  );
}

function item({ title, depth }: Row, at: number, number: string): HTMLElement {
  const made = document.createElement("li");
  const link = document.createElement("a");
  const words = document.createElement("span");
  made.dataset["depth"] = String(depth);
  link.href = "#text";
  words.textContent = title;
  if (number) {
    const before = document.createElement("span");
    Object.assign(before, { className: "n", textContent: number });
    link.append(before, " ");
  }
  link.append(words);
  link.dataset["heading"] = String(at);
  made.append(link);
  return made;
}

/** The words of the open section and of the thesis, after a save. */
function count(panel: HTMLElement, { words = wordsIn(theEditor()?.latex ?? "") }: { words?: number } = {}): void {
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
