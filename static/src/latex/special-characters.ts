// Special characters in LaTeX: what a command shows, and how a typed character is escaped.

/** The character that each control word shows. Used for reading only; on writing characters stay as they are. */
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
  textquotesingle: "'",
  textasciigrave: "`",
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

/** The combining character of each accent command. */
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

/** The character shown by a backslash and one other character. */
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

const ESCAPES: Record<string, string> = {
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
  "'": "\\textquotesingle{}",
  "`": "\\textasciigrave{}",
  "\u00A0": "~",
  "\u202F": "\\,",
  "\u00AD": "\\-",
  "\r": "\n",
  "\uFEFF": "",
};

/** Escape a typed character for LaTeX, which prints ' and ` as curly marks; in code they stay as they are. */
export function escapeCharacter(sign: string, isCode: boolean): string {
  if (isCode && (sign === "'" || sign === "`")) return sign;
  return Object.hasOwn(ESCAPES, sign) ? (ESCAPES[sign] ?? sign) : sign;
}

/** Compose a letter and an accent into one code point; null when there is none. */
export function composeAccent(letter: string, accent: string): string | null {
  const base = letter === "ı" ? "i" : letter === "ȷ" ? "j" : letter;
  if (base === "") return accent === ACCENTS["~"] ? "~" : accent === ACCENTS["^"] ? "^" : null;
  const composed = (base + accent).normalize("NFC");
  return [...composed].length === 1 ? composed : null;
}
