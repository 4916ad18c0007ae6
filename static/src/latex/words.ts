// Same rule as sections.models.count_words, where a dot stops only at a newline and letters are of all scripts.
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
const WITH_KEYS = /\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|ref|eqref|label|input|begin|end|includegraphics)/;
const NOT_PROSE = new RegExp(
  `${WITH_KEYS.source}\\*?(?:\\[[^[\\]]*\\])*\\{[^{}\\\\]*\\}|\\\\[a-zA-Z]+\\*?|\\\\[^\\n]|%[^\\n]*`,
  "gu",
);

/** Count the words of prose in LaTeX without commands, keys and comments. */
export function wordsIn(source: string): number {
  return source.replace(NOT_PROSE, " ").match(WORD)?.length ?? 0;
}
