// The rule of sections.models.count_words. Python's dot stops at a newline only, and its letters are those of all
// scripts.
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
const WITH_KEYS = /\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|ref|eqref|label|input|begin|end|includegraphics)/;
const NOT_PROSE = new RegExp(
  `${WITH_KEYS.source}\\*?(?:\\[[^[\\]]*\\])*\\{[^{}\\\\]*\\}|\\\\[a-zA-Z]+\\*?|\\\\[^\\n]|%[^\\n]*`,
  "gu",
);

/** Words of prose in LaTeX: commands, keys and comments do not count. */
export function wordsIn(source: string): number {
  return source.replace(NOT_PROSE, " ").match(WORD)?.length ?? 0;
}
