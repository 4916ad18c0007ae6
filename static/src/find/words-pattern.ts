import type { FindQuery } from "./finder";

// The same rules as latex/find_words.py, by which the whole thesis is searched.
const ALIKE = [" \u00A0\u202F\u2009", "'’‘`", '"“”„', "-\u2010\u2011"];
const TYPED: Record<string, string> = { "---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’" };
const IN_WORD = "[\\p{L}\\p{N}\\p{M}_]";

/** Return typed words with the dashes, quotation marks and apostrophes that LaTeX makes of `--`, ` `` ` and `'`. */
export function asTyped(words: string): string {
  return words.replace(/---?|``?|''?/g, (sign) => TYPED[sign] ?? sign);
}

/**
 * Return a pattern for words in any form of their accents, spaces and quotation marks, also when a hint on hyphenation
 * is in them; null for no words. A match does not end within a letter.
 */
export function wordsPattern({ words, matchCase, wholeWords }: FindQuery): RegExp | null {
  const signs = [
    ...asTyped(words)
      .trim()
      .replace(/\s+/g, " ")
      .replace(/\uFFFC/g, "")
      .normalize("NFC"),
  ];
  if (!signs.length) return null;
  const inWord = new RegExp(IN_WORD, "u");
  const before = wholeWords && inWord.test(signs[0]!) ? `(?<!${IN_WORD})` : "";
  const after = wholeWords && inWord.test(signs[signs.length - 1]!) ? `(?!${IN_WORD})` : "";
  const body = signs.map(letterPattern).join("\u00AD?");
  return new RegExp(`${before}${body}(?![\\p{M}\u200D])${after}`, matchCase ? "gu" : "giu");
}

function letterPattern(sign: string): string {
  const alike = ALIKE.find((signs) => signs.includes(sign));
  if (alike) return `[${escape(alike)}]`;
  const parts = sign.normalize("NFD");
  return parts === sign ? escape(sign) : `(?:${escape(sign)}|${escape(parts)})`;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
