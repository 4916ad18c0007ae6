import { structure } from "./structure";

/**
 * Close what a formula or the words of a link leave open, so that it ends where it is written and the text around it
 * can be read: `\frac{a}{b` becomes `\frac{a}{b}`. What is complete stays as it is.
 */
export function closed(latex: string): string {
  let text = withoutOpenEnd(latex);
  for (let round = 0; round < 4; round++) {
    const { faults } = structure(text);
    if (!faults.length) return text;
    const before: string[] = [];
    const after: string[] = [];
    for (const { kind, offset } of faults) {
      const name = kind === "environment" ? /^\\(begin|end)\{([^{}]*)\}/.exec(text.slice(offset)) : null;
      if (text[offset] === "}") before.unshift("{");
      else if (name?.[1] === "end") before.unshift(`\\begin{${name[2]}}`);
      else after.push(name ? `\\end{${name[2]}}` : "}");
    }
    text = before.join("") + text + after.join("");
  }
  // braces and environments that cross
  return withoutOpenEnd(
    latex.replace(/\\(?:begin|end)(?![A-Za-z@])/g, " ").replace(/\\.|[{}]/gs, (sign) => (sign.length > 1 ? sign : "")),
  );
}

/** Escape the signs that would hide what follows: the `%` of a comment on the last line, or a last backslash. */
function withoutOpenEnd(latex: string): string {
  const last = Math.max(latex.lastIndexOf("\n"), latex.lastIndexOf("\r")) + 1;
  const line = latex.slice(last).replace(/\\.|%/gs, (sign) => (sign === "%" ? "\\%" : sign));
  return `${latex.slice(0, last)}${line}${/(?<!\\)(?:\\\\)*\\$/.test(line) ? " " : ""}`;
}
