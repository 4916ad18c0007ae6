import type katex from "katex";

// KaTeX is loaded for the first formula and draws in time slices, so that typing is possible at once.
let engine: typeof katex | null = null;
let loading: Promise<unknown> | null = null;
const queue = new Map<HTMLElement, () => void>();
const SLICE = 6; // ms of drawing at a time

/** Draw a formula. It is shown as LaTeX until KaTeX has loaded, and when it has an error (`data-wrong`). */
export function drawMaths(into: HTMLElement, latex: string, display: boolean): void {
  if (engine) render(engine, into, latex, display);
  else {
    into.textContent = latex;
    drawLater(into, () => engine && render(engine, into, latex, display));
  }
}

/** Draw a formula when there is time, for the many formulas of a text that has just been opened. */
export function drawMathsLater(into: HTMLElement, latex: string, display: boolean): void {
  into.textContent = latex;
  drawLater(into, () => engine && render(engine, into, latex, display));
}

/** Cancel drawing a formula that was removed. */
export function cancelMaths(into: HTMLElement): void {
  queue.delete(into);
}

function drawLater(into: HTMLElement, drawing: () => void): void {
  queue.set(into, drawing);
  loading ??= import("katex").then((module) => {
    engine = module.default;
    drawSlice();
  });
  if (engine && queue.size === 1) setTimeout(drawSlice);
}

function drawSlice(): void {
  const until = performance.now() + SLICE;
  for (const [into, drawing] of queue) {
    queue.delete(into);
    drawing();
    if (performance.now() > until) break;
  }
  if (queue.size) setTimeout(drawSlice);
}

function render(katexEngine: typeof katex, into: HTMLElement, latex: string, display: boolean): void {
  into.replaceChildren();
  into.removeAttribute("data-wrong");
  try {
    if (!latex.trim()) into.textContent = display ? "Maths" : "?";
    else
      katexEngine.render(latex, into, {
        displayMode: display,
        throwOnError: true,
        strict: false,
        trust: false,
        maxExpand: 500,
        maxSize: 40,
      });
  } catch (error) {
    into.textContent = latex;
    into.dataset.wrong = errorMessage(error);
  }
}

/** Also what ../latex/closed mends when the formula is written. */
const UNCLOSED = "a brace { is not closed";
const WORDS: [RegExp, string][] = [
  [/^Undefined control sequence: (\S+)/, "the command $1 is unknown"],
  [/^(?:Expected '\}', got 'EOF'|Unexpected end of input.*expected '\}')/, UNCLOSED],
  [/^Expected '(.+)', got 'EOF'/, "it ends too early: $1 is missing"],
  [/^Unexpected end of input/, "it ends too early"],
  [/^Expected 'EOF', got '(.+)'/, "$1 cannot stand here"],
  [/^Expected '(.+)', got '(.+)'/, "$1 is missing before $2"],
  [/^Expected group (?:after|as argument to) '(.+)'/, "nothing follows $1"],
  [/^Double superscript/, "two powers follow each other; put the first one in braces"],
  [/^Double subscript/, "two indices follow each other; put the first one in braces"],
  [/^No such environment: (\S+)/, "the environment $1 is unknown"],
];

/** Turn KaTeX's error into a sentence for people, without the position in an internal text. */
export function errorMessage(error: unknown): string {
  const message =
    error instanceof Error
      ? error.message.replace(/^KaTeX parse error:\s*/, "").replace(/\s+at (?:position \d+|end of input):.*$/s, "")
      : "";
  const known = WORDS.find(([pattern]) => pattern.test(message));
  const words = known ? message.replace(known[0], known[1]).split(/(?<=\S)\s*:\s/, 1)[0]! : message;
  if (words === UNCLOSED) return `This formula cannot be drawn: ${words}. It is closed at the end.`;
  return words
    ? `This formula cannot be drawn: ${words}. It is kept as written.`
    : "This formula cannot be drawn. It is kept as written.";
}
