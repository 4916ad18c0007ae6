/** The kinds of parts that have numbers (latex/numbering.py). */
export type Kind = "heading" | "figure" | "table" | "equation" | "theorem" | "algorithm" | "listing" | "item";

/** What a label of the thesis names, with the number that a \\ref to it prints. */
export interface PrintedLabel {
  kind: Kind;
  number: string;
  level: number; // of a heading: -1 part, 0 chapter, 1 section, 2 subsection
  word?: string; // of a theorem: "Lemma"
  title?: string; // of a heading or a caption, in plain words
}

// The words of hyperref (\\autoref) and cleveref without options, as in thesis/pandoc_ast/references.py
const AUTOREF: Partial<Record<Kind, string>> = {
  figure: "Figure",
  table: "Table",
  equation: "Equation",
  item: "item",
  algorithm: "Algorithm",
};
const SHORT: Partial<Record<Kind, string>> = { figure: "fig.", equation: "eq." };
const HEADINGS = ["Part", "chapter", "section", "subsection", "subsubsection"];

function wordOf(command: string, label: PrintedLabel): string {
  const { kind, number, level, word } = label;
  if (kind === "heading") {
    if (level === 0 && /^[A-Z]/.test(number)) return "Appendix";
    return HEADINGS[Math.min(level + 1, command === "autoref" ? 4 : 2)]!;
  }
  if (command === "autoref") return AUTOREF[kind] ?? word ?? "";
  const full = word || kind;
  return command === "Cref" ? full : (SHORT[kind] ?? full);
}

function plural(word: string): string {
  if (/^appendix$/i.test(word)) return `${word.slice(0, -2)}ices`;
  if (/y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return word.endsWith(".") ? `${word.slice(0, -1)}s.` : `${word}s`;
}

/** Return the numbers of one kind as cleveref prints them: sorted, three or more in a row as a range. */
function numbersOf(labels: readonly PrintedLabel[]): string {
  const sorted = [...labels].sort((one, other) => one.number.localeCompare(other.number, "en", { numeric: true }));
  const runs: PrintedLabel[][] = [];
  for (const label of sorted) {
    const run = runs[runs.length - 1];
    if (run && follows(run[run.length - 1]!.number, label.number)) run.push(label);
    else runs.push([label]);
  }
  const parts = runs.flatMap((run) => {
    const shown = run.map(({ kind, number }) => (kind === "equation" ? `(${number})` : number));
    return run.length > 2 ? [`${shown[0]} to\u00a0${shown[shown.length - 1]}`] : shown;
  });
  return joined(parts, " and\u00a0");
}

function follows(before: string, after: string): boolean {
  const [, head, last] = /^(.*?)(\d+)$/.exec(before) ?? [];
  return last !== undefined && after === `${head}${Number(last) + 1}`;
}

function joined(parts: readonly string[], last: string): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")}${last}${parts[parts.length - 1]}`;
}

/** Return what \\cref or \\Cref prints for several labels: by kind, in the order of their first label. */
function grouped(command: string, labels: readonly PrintedLabel[]): string {
  const kinds = new Map<string, PrintedLabel[]>();
  for (const label of labels) {
    const word = wordOf("Cref", label).toLowerCase();
    kinds.set(word, [...(kinds.get(word) ?? []), label]);
  }
  const parts = [...kinds.values()].map((group, place) => {
    const word = wordOf(command, group[0]!);
    const cased = command === "Cref" && !place ? word[0]?.toUpperCase() + word.slice(1) : word.toLowerCase();
    return `${group.length > 1 ? plural(cased) : cased}\u00a0${numbersOf(group)}`;
  });
  return joined(parts, parts.length > 2 ? ", and\u00a0" : " and\u00a0");
}

/** Return what \\Cref prints for one part: "Table 5.1". */
export function printedPart(label: PrintedLabel): string {
  return grouped("Cref", [label]);
}

/** The labels of the thesis as last saved, and the chips that show them. */
class PrintedLabels {
  private known: Readonly<Record<string, PrintedLabel>> = {};
  private chips = new Map<HTMLElement, () => void>();

  set(labels: Readonly<Record<string, PrintedLabel>>): void {
    this.known = labels;
    for (const [dom, draw] of this.chips)
      if (dom.isConnected) draw();
      else this.chips.delete(dom);
  }

  /** Add the label that a part of another section was just given. */
  add(key: string, label: PrintedLabel): void {
    this.set({ ...this.known, [key]: label });
  }

  get all(): Readonly<Record<string, PrintedLabel>> {
    return this.known;
  }

  /** Call `draw` now and whenever the labels change, as long as `dom` is in the page. */
  show(dom: HTMLElement, draw: () => void): void {
    this.chips.set(dom, draw);
    draw();
  }

  /**
   * Return what a reference prints: "5.1", "Table 5.1", "(2.1)", a title; null for an unknown label. A page number is
   * not known before the PDF is built, so the page is named by what is on it: "page of Table 5.1".
   */
  printed(command: string, key: string): string | null {
    const labels: PrintedLabel[] = [];
    for (const one of key.split(",")) {
      const name = one.trim();
      if (!Object.hasOwn(this.known, name)) return null;
      labels.push(this.known[name]!);
    }
    if (command === "cref" || command === "Cref") return grouped(command, labels);
    if (/page/i.test(command)) return `page of ${grouped("Cref", labels)}`;
    const titles = labels.map(({ title }) => title);
    if (/name/i.test(command) && titles.every(Boolean)) return titles.join(", ");
    return labels
      .map((label) => {
        if (command === "eqref") return `(${label.number})`;
        const word = command === "autoref" ? wordOf(command, label) : "";
        return word ? `${word}\u00a0${label.number}` : label.number;
      })
      .join(", ");
  }
}

export const printedLabels = new PrintedLabels();
