/** What a label of the thesis names, with the number that a \\ref to it prints. */
export interface PrintedLabel {
  kind: "heading" | "figure" | "table" | "equation";
  number: string;
  level: number; // of a heading: -1 part, 0 chapter, 1 section, 2 subsection
}

const WORDS: Record<string, Record<Exclude<PrintedLabel["kind"], "heading">, string>> = {
  autoref: { figure: "Figure", table: "Table", equation: "Equation" },
  cref: { figure: "fig.", table: "table", equation: "eq." },
  Cref: { figure: "Figure", table: "Table", equation: "Equation" },
};
const HEADINGS = ["Part", "chapter", "section", "subsection", "subsubsection"];

/** The word for a heading, as hyperref (\\autoref) and cleveref print it (thesis/pandoc_ast/numbers.py, lead). */
function headingWord(command: string, { level, number }: PrintedLabel): string {
  const isAppendix = level === 0 && /^[A-Z]/.test(number);
  const deepest = command === "autoref" ? 4 : 2;
  const word = isAppendix ? "Appendix" : HEADINGS[Math.min(level + 1, deepest)]!;
  if (command === "autoref") return word;
  return command === "Cref" ? word[0]!.toUpperCase() + word.slice(1) : word.toLowerCase();
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

  get all(): Readonly<Record<string, PrintedLabel>> {
    return this.known;
  }

  /** Call `draw` now and whenever the labels change, as long as `dom` is in the page. */
  show(dom: HTMLElement, draw: () => void): void {
    this.chips.set(dom, draw);
    draw();
  }

  /** Return what a reference prints: "5.1", "Table 5.1", "(2.1)"; null for an unknown label. */
  printed(command: string, key: string): string | null {
    const parts = key.split(",").map((one) => (Object.hasOwn(this.known, one.trim()) ? this.known[one.trim()] : null));
    if (parts.some((one) => !one)) return null;
    return parts.map((one) => printedReference(command, one!)).join(", ");
  }
}

function printedReference(command: string, label: PrintedLabel): string {
  const { kind, number } = label;
  const shown = command === "eqref" || (kind === "equation" && /^cref$/i.test(command)) ? `(${number})` : number;
  const words = WORDS[command];
  const word = words && (kind === "heading" ? headingWord(command, label) : words[kind]);
  return word ? `${word}\u00a0${shown}` : shown;
}

export const printedLabels = new PrintedLabels();
