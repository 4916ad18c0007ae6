import { drawMaths } from "./maths";

/** Convert the LaTeX of a caption, a note or a footnote to plain text. */
export function plainWords(latex: string): string {
  return withoutCommands(latex).trim();
}

/** Convert the LaTeX of a caption or a note to text with its formulas set. */
export function setWords(latex: string): (string | HTMLElement)[] {
  const parts = latex.trim().split(/(?<!\\)(\$[^$]+\$|\\\([\s\S]*?\\\))/);
  return parts.map((part, index) => {
    if (index % 2 === 0) return withoutCommands(part);
    const formula = document.createElement("span");
    drawMaths(formula, part.replace(/^\$|\$$|^\\\(|\\\)$/g, ""), false);
    return formula;
  });
}

function withoutCommands(latex: string): string {
  return latex
    .replace(/\\label\{[^{}]*\}/g, "")
    .replace(/\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}/gi, "[$1]")
    .replace(/\\(?:[A-Za-z]+)\*?(?=[{\s]|$)/g, "")
    .replace(/\\([%&#$_{}])/g, "$1")
    .replace(/[{}]/g, "")
    .replace(/---/g, "—")
    .replace(/--/g, "–")
    .replace(/~/g, "\u00a0")
    .replace(/\s+/g, " ");
}
