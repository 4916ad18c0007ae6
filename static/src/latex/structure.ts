import type { Fault } from "./faults";

/**
 * The matching pairs of a LaTeX text, found in one pass, so that later steps can jump instead of searching.
 *
 * `ends[i]` is the offset after the element that opens at `i`: a brace, a bracket, a comment, `\begin`, `$`, `\(`,
 * `\[`, `\verb`, or the braces of `\url`. 0 when nothing opens there or it is never closed.
 */
export interface Structure {
  ends: Int32Array;
  faults: Omit<Fault, "line">[];
}

interface Frame {
  at: number;
  name: string | null; // of an environment; null for a brace
  plain: boolean; // inside a definition, where \begin and \end need not pair
  brackets: number[];
  dollar: number;
  dollars: number;
  display: number;
  round: number;
}

const VERBATIM = new Set(
  (
    "verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted comment " +
    "filecontents filecontents* tcblisting luacode pycode Sinput Soutput"
  ).split(" "),
);
/** How many groups in braces belong to each defining command, including the name. */
const DEFINING: Record<string, number> = {
  newcommand: 2,
  renewcommand: 2,
  providecommand: 2,
  DeclareRobustCommand: 2,
  newenvironment: 3,
  renewenvironment: 3,
  NewDocumentCommand: 3,
  RenewDocumentCommand: 3,
  NewDocumentEnvironment: 4,
  RenewDocumentEnvironment: 4,
  def: 1,
  gdef: 1,
  edef: 1,
  xdef: 1,
  AtBeginEnvironment: 2,
  AtEndEnvironment: 2,
  newcolumntype: 2,
  tikzset: 1,
  pgfplotsset: 1,
};
const LITERAL = new Set(["url", "href", "path", "nolinkurl"]);
const LONGEST_LITERAL = 2000;
const ENVIRONMENT = /\{([^{}\\%\r\n]{1,60})\}/y;

const BACKSLASH = 92,
  PERCENT = 37,
  OPEN = 123,
  CLOSE = 125,
  BRACKET = 91,
  CLOSING = 93,
  DOLLAR = 36,
  LF = 10,
  CR = 13;

/** Tell whether a character code is a letter of a control word. */
export function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 64;
}

/** Return the end of the control word whose letters start at `at`. `@` counts as a letter, as in packages. */
export function wordEnd(source: string, at: number): number {
  while (at < source.length && isLetter(source.charCodeAt(at))) at++;
  return at;
}

/** Return the name in `{name}` at `at`; null without one. */
export function nameAt(source: string, at: number): string | null {
  ENVIRONMENT.lastIndex = at;
  return ENVIRONMENT.exec(source)?.[1] ?? null;
}

function lineEnd(source: string, at: number): number {
  for (; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === LF || code === CR) break;
  }
  return at;
}

/** Return the end of a `\verb` whose delimiter is at `at`; 0 when it does not end on its line. */
function verbEnd(source: string, at: number): number {
  const sign = source.charCodeAt(at);
  if (Number.isNaN(sign) || sign === LF || sign === CR) return 0;
  const end = sign === OPEN ? CLOSE : sign;
  for (let i = at + 1; i < source.length && i < at + LONGEST_LITERAL; i++) {
    const code = source.charCodeAt(i);
    if (code === end) return i + 1;
    if (code === LF || code === CR) return 0;
  }
  return 0;
}

/** Return the end of the braces of an address at `at`, in which `%` and `#` are literal; 0 if not on the same line. */
function literalEnd(source: string, at: number): number {
  let depth = 0;
  for (let i = at; i < source.length && i < at + LONGEST_LITERAL; i++) {
    const code = source.charCodeAt(i);
    if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return i + 1;
    else if (code === LF || code === CR || (code === BACKSLASH && isLetter(source.charCodeAt(i + 1)))) return 0;
  }
  return 0;
}

/** Find the matching pairs of a text. Linear time, with its own stack instead of recursion. */
export function structure(source: string): Structure {
  const ends = new Int32Array(source.length + 1);
  const faults: Structure["faults"] = [];
  const frame = (at: number, name: string | null, plain: boolean): Frame => ({
    at,
    name,
    plain,
    brackets: [],
    dollar: -1,
    dollars: -1,
    display: -1,
    round: -1,
  });
  const stack: Frame[] = [frame(-1, "", false)];
  let top = stack[0] as Frame;
  const open = new Map<string, number>(); // environments on the stack, by name
  const never = new Set<string>(); // verbatim environments without an end in the rest of the text
  let defining = 0; // groups at `depth` that are parts of a definition
  let depth = 0;

  const push = (one: Frame): void => {
    stack.push(one);
    top = one;
    if (one.name !== null) open.set(one.name, (open.get(one.name) ?? 0) + 1);
  };
  const pop = (): Frame => {
    const popped = stack.pop() as Frame;
    top = stack[stack.length - 1] as Frame;
    if (popped.name !== null) open.set(popped.name, (open.get(popped.name) ?? 1) - 1);
    return popped;
  };
  const unclosed = ({ name, at: offset }: Frame, until: number): void => {
    if (name === null) faults.push({ kind: "brace", offset, until, message: "This brace { is never closed." });
    else faults.push({ kind: "environment", offset, until, message: `\\begin{${name}} is never closed.` });
  };

  /** Handle the control word at `i` whose letters end at `after`; return where to continue. */
  const word = (i: number, after: number): number => {
    const name = source.slice(i + 1, after);
    if (name === "begin" || name === "end") {
      const environment = nameAt(source, after);
      if (environment === null || top.plain) return after;
      const behind = after + environment.length + 2;
      if (name === "begin") {
        if (VERBATIM.has(environment)) {
          const closing = `\\end{${environment}}`;
          const found = never.has(environment) ? -1 : source.indexOf(closing, behind);
          if (found >= 0) return (ends[i] = found + closing.length);
          never.add(environment);
          faults.push({ kind: "environment", offset: i, message: `\\begin{${environment}} is never closed.` });
          return behind;
        }
        push(frame(i, environment, false));
        return behind;
      }
      if ((open.get(environment) ?? 0) > 0) {
        while (top.name !== environment) unclosed(pop(), i);
        ends[pop().at] = behind;
      } else {
        faults.push({
          kind: "environment",
          offset: i,
          message: `\\end{${environment}} has no \\begin{${environment}} before it.`,
        });
      }
      return behind;
    }
    if (name === "verb" || name === "lstinline" || name === "mintinline") {
      let at = source[after] === "*" ? after + 1 : after;
      if (name !== "verb" && source[at] === "[") at = lineBracket(source, at);
      if (name === "mintinline") at = source[at] === "{" ? verbEnd(source, at) || at : at;
      const end = verbEnd(source, at);
      if (end) return (ends[i] = end);
      return after;
    }
    if (LITERAL.has(name) && source.charCodeAt(after) === OPEN) {
      const end = literalEnd(source, after);
      if (end) return (ends[after] = end);
      return after;
    }
    if (Object.hasOwn(DEFINING, name)) {
      let at = after;
      while (source[at] === "*" || source[at] === " ") at++;
      defining = (DEFINING[name] ?? 0) - (source[at] === "\\" && (DEFINING[name] ?? 0) > 1 ? 1 : 0);
      depth = stack.length;
      if (source[at] === "\\") return Math.max(wordEnd(source, at + 1), Math.min(at + 2, source.length));
    }
    return after;
  };

  let i = 0;
  while (i < source.length) {
    const code = source.charCodeAt(i);
    if (code === BACKSLASH) {
      const after = wordEnd(source, i + 1);
      if (after > i + 1) {
        i = word(i, after);
        continue;
      }
      const sign = source[i + 1];
      if (sign === "[") top.display = i;
      else if (sign === "(") top.round = i;
      else if (sign === "]" && top.display >= 0) {
        ends[top.display] = i + 2;
        top.display = -1;
      } else if (sign === ")" && top.round >= 0) {
        ends[top.round] = i + 2;
        top.round = -1;
      }
      i += sign === "\n" || sign === "\r" ? 1 : 2;
    } else if (code === PERCENT) {
      i = ends[i] = lineEnd(source, i);
    } else if (code === OPEN) {
      const part = defining > 0 && depth === stack.length;
      if (part) defining--;
      push(frame(i, null, top.plain || part));
      i++;
    } else if (code === CLOSE) {
      if (top.name === null) ends[pop().at] = i + 1;
      else faults.push({ kind: "brace", offset: i, message: "This brace } closes nothing." });
      i++;
    } else if (code === BRACKET) {
      top.brackets.push(i++);
    } else if (code === CLOSING) {
      for (const at of top.brackets) ends[at] = i + 1;
      top.brackets = [];
      i++;
    } else if (code === DOLLAR) {
      if (source.charCodeAt(i + 1) === DOLLAR && top.dollar < 0) {
        if (top.dollars >= 0) ends[top.dollars] = i + 2;
        top.dollars = top.dollars >= 0 ? -1 : i;
        i += 2;
      } else {
        if (top.dollar >= 0) ends[top.dollar] = i + 1;
        top.dollar = top.dollar >= 0 ? -1 : i;
        i++;
      }
    } else if (code === LF || code === CR) {
      i += code === CR && source.charCodeAt(i + 1) === LF ? 2 : 1;
      let at = i;
      while (source[at] === " " || source[at] === "\t") at++;
      if (source[at] === "\n" || source[at] === "\r") {
        top.dollar = top.dollars = top.display = top.round = -1;
        top.brackets = [];
        if (depth === stack.length) defining = 0;
      }
      i = at;
    } else {
      i++;
    }
  }
  while (stack.length > 1) unclosed(pop(), source.length);
  return { ends, faults };
}

/** Return the end of the bracket at `at`; `at` itself when it is not closed on its line. */
function lineBracket(source: string, at: number): number {
  for (let i = at + 1; i < source.length && i < at + LONGEST_LITERAL; i++) {
    if (source[i] === "]") return i + 1;
    if (source[i] === "\n" || source[i] === "\r") break;
  }
  return at;
}
