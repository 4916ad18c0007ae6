import type katex from "katex";

// KaTeX is fetched when the first formula is to be drawn, and draws in slices, so that a chapter can be typed in at
// once.
let engine: typeof katex | null = null;
let coming: Promise<unknown> | null = null;
const waiting = new Map<HTMLElement, () => void>();
const SLICE = 6; // ms of drawing at a time

/**
 * Draw LaTeX maths into `into`: as LaTeX until KaTeX is there. What cannot be drawn stays as it is written, with its
 * fault told.
 */
export function drawMaths(into: HTMLElement, latex: string, display: boolean): void {
  if (engine) draw(engine, into, latex, display);
  else {
    into.textContent = latex;
    later(into, () => engine && draw(engine, into, latex, display));
  }
}

/** As `drawMaths`, when there is time. For the many formulas of a text that has just been opened. */
export function drawMathsLater(into: HTMLElement, latex: string, display: boolean): void {
  into.textContent = latex;
  later(into, () => engine && draw(engine, into, latex, display));
}

/** Forget a formula that has gone before it was drawn. */
export function dropMaths(into: HTMLElement): void {
  waiting.delete(into);
}

function later(into: HTMLElement, drawing: () => void): void {
  waiting.set(into, drawing);
  coming ??= import("katex").then((module) => {
    engine = module.default;
    work();
  });
  if (engine && waiting.size === 1) setTimeout(work);
}

function work(): void {
  const until = performance.now() + SLICE;
  for (const [into, drawing] of waiting) {
    waiting.delete(into);
    drawing();
    if (performance.now() > until) break;
  }
  if (waiting.size) setTimeout(work);
}

function draw(by: typeof katex, into: HTMLElement, latex: string, display: boolean): void {
  into.replaceChildren();
  into.removeAttribute("data-wrong");
  try {
    if (!latex.trim()) into.textContent = display ? "Maths" : "?";
    else
      by.render(latex, into, {
        displayMode: display,
        throwOnError: true,
        strict: false,
        trust: false,
        maxExpand: 500,
        maxSize: 40,
      });
  } catch (error) {
    into.textContent = latex;
    into.dataset.wrong = wrongIn(error);
  }
}

/** KaTeX's fault as a sentence, without its own name and without a position in a text that the person does not see. */
function wrongIn(error: unknown): string {
  const said =
    error instanceof Error
      ? error.message.replace(/^KaTeX parse error:\s*/, "").replace(/\s+at position \d+:.*$/s, "")
      : "";
  return said
    ? `This formula cannot be drawn: ${said}. It is kept as written.`
    : "This formula cannot be drawn. It is kept as written.";
}
