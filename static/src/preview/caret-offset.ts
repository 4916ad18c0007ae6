import { codePointOffset } from "../side-panel/comment-places";

/** An editor with its text and caret. In the visual view the caret is known by its block and the words before it. */
export interface TextWithCaret {
  readonly latex: string;
  readonly caret: { start: number; end: number; before: string };
}

const WORDS = /[^\s\\{}$%&~]+(?: [^\s\\{}$%&~]+){0,3} ?$/;

/** Return the offset of the caret in code points: after the words before it, else the start of its block. */
export function caretOffset({ latex, caret }: TextWithCaret): number {
  const words = WORDS.exec(caret.before)?.[0].trimEnd() ?? "";
  const at = words && caret.end > caret.start ? latex.slice(caret.start, caret.end).indexOf(words) : -1;
  return codePointOffset(latex, at < 0 ? caret.start : caret.start + at + words.length);
}
