import type { AtomJSON } from "./document";
import { nameAt, wordEnd } from "./structure";

const CITES = new Set(
  (
    "cite Cite citep Citep citet Citet citealp Citealp citealt Citealt citeauthor Citeauthor citeyear " +
    "citeyearpar citetitle citenum citedate citeurl " +
    "parencite Parencite textcite Textcite footcite Footcite footcitetext autocite Autocite smartcite Smartcite " +
    "supercite fullcite footfullcite onlinecite"
  ).split(" "),
);
const REFS = new Set(
  "ref eqref autoref cref Cref pageref nameref vref Vref subref labelcref cpageref fullref".split(" "),
);
const DEFINITIONS = new Set(["def", "gdef", "edef", "xdef"]);
const EMPTY_LINE = /(?:\r\n|\r|\n)[ \t]*[\r\n]/;
const LONGEST_CITE = 4000;
const KEY = /^[^{}\\%\r\n[\]]+$/;

/** A parsed macro and its end. */
export interface Macro {
  node: AtomJSON;
  end: number;
}

/** Parse the macro at `at`: a citation, a reference and so on, or a raw atom with its arguments. */
export function macroAt(source: string, at: number, ends: Int32Array): Macro {
  const raw = (end: number): Macro => ({ node: { type: "raw", attrs: { latex: source.slice(at, end) } }, end });
  const over = ends[at] ?? 0;
  const after = wordEnd(source, at + 1);
  if (after === at + 1) {
    const sign = source[after];
    if (sign === "(" && over)
      return { node: { type: "maths", attrs: { latex: source.slice(at + 2, over - 2), delimiters: "(" } }, end: over };
    if (sign === "\\") {
      const star = source[at + 2] === "*" ? at + 3 : at + 2;
      const end = source[star] === "[" ? ends[star] || star : star;
      return end > at + 2 ? raw(end) : { node: { type: "hardBreak" }, end };
    }
    if (over) return raw(over);
    const lone = sign === undefined || sign === "\n" || sign === "\r";
    return raw(lone ? at + 1 : at + 1 + ((source.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1));
  }
  if (over) return raw(over); // an environment within a line, \verb
  const name = source.slice(at + 1, after);
  if (name === "begin" || name === "end") {
    const environment = nameAt(source, after);
    return raw(environment === null ? after : after + environment.length + 2);
  }
  if (DEFINITIONS.has(name)) {
    const brace = source.slice(after, after + 200).search(/[{}\r\n]/);
    const end = brace >= 0 && source[after + brace] === "{" ? (ends[after + brace] ?? 0) : 0;
    return raw(end || after);
  }
  return knownMacro(source, at, after, name, ends) ?? raw(argumentsEnd(source, after, ends));
}

function knownMacro(source: string, at: number, after: number, name: string, ends: Int32Array): Macro | null {
  if (CITES.has(name)) return citeAt(source, at, after, name, ends);
  if (source[after] !== "{" || !ends[after]) return null;
  const end = ends[after] ?? 0;
  const inside = source.slice(after + 1, end - 1);
  if (REFS.has(name))
    return KEY.test(inside) ? { node: { type: "ref", attrs: { command: name, key: inside } }, end } : null;
  if (name === "label") return KEY.test(inside) ? { node: { type: "label", attrs: { key: inside } }, end } : null;
  if (name === "footnote") return { node: { type: "footnote", attrs: { latex: inside } }, end };
  if (name === "url" || name === "nolinkurl")
    return { node: { type: "url", attrs: { command: name, href: inside, text: inside } }, end };
  if (name === "href" && source[end] === "{" && ends[end]) {
    const behind = ends[end] ?? 0;
    return {
      node: { type: "url", attrs: { command: name, href: inside, text: source.slice(end + 1, behind - 1) } },
      end: behind,
    };
  }
  return null;
}

function citeAt(source: string, at: number, after: number, name: string, ends: Int32Array): Macro | null {
  let i = after;
  const command = source[i] === "*" ? `${name}*` : name;
  if (source[i] === "*") i++;
  const options: string[] = [];
  while (source[i] === "[" && ends[i] && options.length < 2) {
    options.push(source.slice(i + 1, (ends[i] ?? 0) - 1));
    i = ends[i] ?? 0;
  }
  const end = source[i] === "{" ? (ends[i] ?? 0) : 0;
  if (!end || source[i] === "[") return null;
  const inside = source.slice(i + 1, end - 1);
  if (end - at > LONGEST_CITE || /[{}\\%[\]]/.test(inside) || EMPTY_LINE.test(source.slice(at, end))) return null;
  const keys = inside
    .split(",")
    .map((key) => key.trim())
    .filter(Boolean);
  const [first = null, second = null] = options;
  const [pre, post] = options.length > 1 ? [first, second] : [null, first];
  return { node: { type: "cite", attrs: { command, keys, pre, post, source: source.slice(at, end) } }, end };
}

/** Return the end of a macro's star, options and groups; without any, the end of the spaces that LaTeX skips. */
function argumentsEnd(source: string, at: number, ends: Int32Array): number {
  let i = source[at] === "*" ? at + 1 : at;
  const begun = i;
  let groups = false;
  for (;;) {
    let next = i;
    while (source[next] === "[" && ends[next]) next = ends[next] ?? 0;
    const brace = source[next] === "{" && (ends[next] ?? 0) > 0;
    // Options after a group belong to the macro only if another group follows, as in \newcommand{\x}[1]{...}. In
    // "\gls{ards}[1]" the brackets are text.
    if (!groups || brace) i = next;
    if (!brace) break;
    groups = true;
    i = ends[next] ?? 0;
  }
  if (i === begun) while (source[i] === " " || source[i] === "\t") i++;
  return i;
}
