/** What a label of the thesis names, with the number that a \\ref to it prints. */
export interface PrintedLabel {
  kind: "heading" | "figure" | "table" | "equation";
  number: string;
}

const WORDS: Record<string, Record<PrintedLabel["kind"], string>> = {
  autoref: { heading: "section", figure: "Figure", table: "Table", equation: "Equation" },
  cref: { heading: "section", figure: "fig.", table: "table", equation: "eq." },
  Cref: { heading: "Section", figure: "Figure", table: "Table", equation: "Equation" },
};

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

function printedReference(command: string, { kind, number }: PrintedLabel): string {
  const shown = command === "eqref" || (kind === "equation" && /^cref$/i.test(command)) ? `(${number})` : number;
  const word = WORDS[command]?.[kind];
  return word ? `${word}\u00a0${shown}` : shown;
}

export const printedLabels = new PrintedLabels();
