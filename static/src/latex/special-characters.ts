// How signs are written in LaTeX: what a command shows, and what a typed sign needs.

/** What a control word shows. The first word of a sign is not used for writing: signs are written as they are. */
export const SYMBOLS: Record<string, string> = {
  ldots: "…",
  dots: "…",
  textellipsis: "…",
  ss: "ß",
  SS: "ẞ",
  ae: "æ",
  AE: "Æ",
  oe: "œ",
  OE: "Œ",
  o: "ø",
  O: "Ø",
  l: "ł",
  L: "Ł",
  aa: "å",
  AA: "Å",
  dh: "ð",
  DH: "Ð",
  th: "þ",
  TH: "Þ",
  i: "ı",
  j: "ȷ",
  S: "§",
  P: "¶",
  pounds: "£",
  copyright: "©",
  textendash: "–",
  textemdash: "—",
  textquoteleft: "‘",
  textquoteright: "’",
  textquotedblleft: "“",
  textquotedblright: "”",
  textbackslash: "\\",
  textasciitilde: "~",
  textasciicircum: "^",
  textless: "<",
  textgreater: ">",
  textbar: "|",
  textdegree: "°",
  textmu: "µ",
  textpm: "±",
  texttimes: "×",
  textdiv: "÷",
  texteuro: "€",
  euro: "€",
  textregistered: "®",
  texttrademark: "™",
  textbullet: "•",
  textperiodcentered: "·",
  textsection: "§",
  textparagraph: "¶",
  textunderscore: "_",
  textdollar: "$",
  textbraceleft: "{",
  textbraceright: "}",
  guillemotleft: "«",
  guillemotright: "»",
  textonehalf: "½",
  textonequarter: "¼",
  textthreequarters: "¾",
  textordfeminine: "ª",
  textordmasculine: "º",
  textquestiondown: "¿",
  textexclamdown: "¡",
  textcent: "¢",
  textyen: "¥",
};

/** Accents by command: the mark that is set over or under a letter. */
export const ACCENTS: Record<string, string> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
  u: "\u0306",
  v: "\u030C",
  H: "\u030B",
  c: "\u0327",
  k: "\u0328",
  r: "\u030A",
  d: "\u0323",
  b: "\u0331",
};

/** What a backslash and one sign show. */
export const ESCAPED: Record<string, string> = {
  "%": "%",
  "&": "&",
  "#": "#",
  _: "_",
  $: "$",
  "{": "{",
  "}": "}",
  " ": " ",
  ",": "\u202F",
  "-": "\u00AD",
};

const WRITTEN: Record<string, string> = {
  "%": "\\%",
  "&": "\\&",
  "#": "\\#",
  _: "\\_",
  $: "\\$",
  "{": "\\{",
  "}": "\\}",
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "\u00A0": "~",
  "\u202F": "\\,",
  "\u00AD": "\\-",
  "\r": "\n",
  "\uFEFF": "",
};

/** A typed sign as LaTeX. Quotes are left alone. */
export function written(sign: string): string {
  return Object.hasOwn(WRITTEN, sign) ? (WRITTEN[sign] ?? sign) : sign;
}

/** The one code point that a letter with an accent is; null when there is none. */
export function accented(letter: string, accent: string): string | null {
  const base = letter === "ı" ? "i" : letter === "ȷ" ? "j" : letter;
  if (base === "") return accent === ACCENTS["~"] ? "~" : accent === ACCENTS["^"] ? "^" : null;
  const composed = (base + accent).normalize("NFC");
  return [...composed].length === 1 ? composed : null;
}
