/** Convert the LaTeX of a caption, a note, a footnote or a selection to plain text. */
export function plainWords(latex: string): string {
  return latex
    .replace(/\\(?:label|end)\{[^{}]*\}|\\begin\{[^{}]*\}(?:\[[^\]]*\])?|(?<!\\)%.*/g, " ")
    .replace(/\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}/gi, "[$1]")
    .replace(/\\(?:[A-Za-z]+)\*?(?=[{\s]|$)/g, "")
    .replace(/\\([%&#$_{}])/g, "$1")
    .replace(/[{}]/g, "")
    .replace(/---/g, "—")
    .replace(/--/g, "–")
    .replace(/``/g, "“")
    .replace(/''/g, "”")
    .replace(/`/g, "‘")
    .replace(/'/g, "’")
    .replace(/~/g, "\u00a0")
    .replace(/\s+/g, " ")
    .trim();
}
