import { applyChanges, type TextChange } from "./splice";
import { structure } from "./structure";

const COMMENT_AT_END = /(?:^|[^\\])(?:\\\\)*%[^\r\n]*$/;

/**
 * Close what a formula or the words of a link leave open, so that it ends where it is written and the text around it
 * can be read: `\frac{a}{b` becomes `\frac{a}{b}`. What is complete stays as it is.
 */
export function closed(latex: string): string {
  const made = closedAround(withoutOpenEnd(latex));
  if (made !== null) return made;
  // braces and environments that cross
  return withoutOpenEnd(
    latex.replace(/\\(?:begin|end)(?![A-Za-z@])/g, " ").replace(/\\.|[{}]/gs, (sign) => (sign.length > 1 ? sign : "")),
  );
}

/**
 * Return source that leaves nothing open, with every character of `latex` in it: closed where the environment around it
 * ends or at its own end, and as a comment if that is not possible. What is complete stays as it is.
 */
export function contained(latex: string): string {
  return closedAround(latex) ?? latex.replace(/^/gm, "% ");
}

function closedAround(latex: string): string | null {
  let text = latex;
  for (let round = 0; round < 4; round++) {
    const { faults } = structure(text);
    if (!faults.length) return text;
    const changes: TextChange[] = [];
    for (const { kind, offset, until = text.length } of faults) {
      const name = kind === "environment" ? /^\\(begin|end)\{([^{}]*)\}/.exec(text.slice(offset)) : null;
      const isEnd = text[offset] === "}" || name?.[1] === "end";
      const at = !isEnd ? until : round ? offset : 0; // in its place where it would cross what is around it
      const added = isEnd ? (name ? `\\begin{${name[2]}}` : "{") : name ? `\\end{${name[2]}}` : "}";
      const isHidden = !isEnd && COMMENT_AT_END.test(text.slice(0, until));
      changes.push({ from: at, to: at, text: isHidden ? `\n${added}` : added });
    }
    text = applyChanges(text, changes);
  }
  return null;
}

/** Escape the signs that would hide what follows: the `%` of a comment on the last line, or a last backslash. */
function withoutOpenEnd(latex: string): string {
  const last = Math.max(latex.lastIndexOf("\n"), latex.lastIndexOf("\r")) + 1;
  const line = latex.slice(last).replace(/\\.|%/gs, (sign) => (sign === "%" ? "\\%" : sign));
  return `${latex.slice(0, last)}${line}${/(?<!\\)(?:\\\\)*\\$/.test(line) ? " " : ""}`;
}
