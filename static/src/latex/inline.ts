import { isBlankLine, skipBlanks } from "./blocks";
import type { AtomJSON, InlineJSON, MarkJSON } from "./document";
import { macroAt } from "./macros";
import { ACCENTS, composeAccent, ESCAPED, SYMBOLS } from "./special-characters";
import { structure, wordEnd, type Structure } from "./structure";

/** A mark in the source, such as `\textbf{...}`; `open` is `\textbf{`. */
export interface Wrapper {
  mark: MarkJSON;
  open: string;
  /** Offsets of its command, its content and its closing brace. */
  start: number;
  inner: number;
  close: number;
  parent: Wrapper | null;
}

/** A character, a run of plain characters or an atom, with its range in the source. */
export interface Unit {
  /** The visible text; null for an atom. Longer than one code point only where the source is as long. */
  text: string | null;
  atom: AtomJSON | null;
  start: number;
  end: number;
  wrapper: Wrapper | null;
}

const MARKS: Record<string, MarkJSON> = {
  textbf: { type: "bold" },
  emph: { type: "italic", attrs: { command: "emph" } },
  textit: { type: "italic", attrs: { command: "textit" } },
  textsl: { type: "italic", attrs: { command: "textsl" } },
  texttt: { type: "code" },
  underline: { type: "underline" },
  textsuperscript: { type: "superscript" },
  textsubscript: { type: "subscript" },
  textsc: { type: "smallcaps" },
};
const SCRIPTS = new Set(["superscript", "subscript"]); // the editor allows only one of them at a time
const PLAIN = /(?:[^\\%${}&#_^~\-`' \t\r\n]| (?![ \t\r\n])|-(?!-)|'(?!'))+/y;
const PLAIN_GROUP = /\{([[\]*])\}/y;

/** Parse inline LaTeX into units; null when it has an empty line outside of raw parts. Linear time. */
export function unitsOf(source: string, { ends }: Structure = structure(source)): Unit[] | null {
  const units: Unit[] = [];
  let wrapper: Wrapper | null = null;
  let at = 0;
  const text = (sign: string, end: number): void => {
    units.push({ text: sign, atom: null, start: at, end, wrapper });
    at = end;
  };
  const atom = (node: AtomJSON, end: number): void => {
    units.push({ text: null, atom: node, start: at, end, wrapper });
    at = end;
  };
  const raw = (end: number): void => atom({ type: "raw", attrs: { latex: source.slice(at, end) } }, end);

  while (at < source.length) {
    if (wrapper && at === wrapper.close) {
      at = wrapper.close + 1;
      wrapper = wrapper.parent;
      continue;
    }
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(source);
    if (plain) {
      text(isCode(wrapper) ? plain[0] : plain[0].replaceAll("'", "’"), PLAIN.lastIndex);
      continue;
    }
    const sign = source[at] as string;
    if (sign === "\\") {
      const after = wordEnd(source, at + 1);
      const name = source.slice(at + 1, after);
      const opened: Wrapper | null = Object.hasOwn(MARKS, name)
        ? wrapperAt(source, at, after, name, wrapper, ends)
        : null;
      if (opened) {
        wrapper = opened;
        at = opened.inner;
        continue;
      }
      const shown = signAt(source, at, ends);
      if (shown) {
        text(shown.sign, shown.end);
        continue;
      }
      const macro = macroAt(source, at, ends);
      atom(macro.node, macro.end);
    } else if (sign === "%") {
      const end = ends[at] || source.length;
      let next = end;
      if (source[next] === "\r") next++;
      if (source[next] === "\n" && next <= end + 1) next++;
      while (next > end && (source[next] === " " || source[next] === "\t")) next++;
      if (next > end && (source[next] === "\n" || source[next] === "\r")) return null;
      raw(next);
    } else if (sign === "$") {
      const end = ends[at] ?? 0;
      if (end && source[at + 1] !== "$" && end > at + 2)
        atom({ type: "maths", attrs: { latex: source.slice(at + 1, end - 1), delimiters: "$" } }, end);
      else raw(end || at + 1);
    } else if (sign === "{") {
      const end = ends[at] ?? 0;
      PLAIN_GROUP.lastIndex = at;
      const group = PLAIN_GROUP.exec(source);
      const inside = end && source[at + 1] === "\\" ? signAt(source, at + 1, ends) : null;
      const last = units[units.length - 1];
      if (group) text(group[1] ?? "", end);
      else if (inside && inside.end === end - 1) text(inside.sign, end);
      else if (end === at + 2 && last && last.end === at && last.wrapper === wrapper)
        last.end = at = end; // {} shows nothing
      else raw(end || at + 1);
    } else if ("}&#_^".includes(sign)) {
      raw(at + 1);
    } else if (sign === "~") {
      text("\u00A0", at + 1);
    } else if (sign === "-" && source[at + 1] === "-") {
      const long = source[at + 2] === "-";
      text(long ? "—" : "–", at + (long ? 3 : 2));
    } else if (sign === "`" && source[at + 1] === "`") {
      text("“", at + 2);
    } else if (sign === "'" && source[at + 1] === "'") {
      text("”", at + 2);
    } else if (sign === "`" && !isCode(wrapper)) {
      text("‘", at + 1);
    } else if (" \t\r\n".includes(sign)) {
      const end = skipBlanks(source, at);
      const blanks = source.slice(at, end);
      if (isBlankLine(blanks)) return null;
      if (/[\r\n]/.test(blanks)) atom({ type: "softBreak", attrs: { source: blanks } }, end);
      else while (at < end) text(source[at] as string, at + 1);
    } else {
      text(
        String.fromCodePoint(source.codePointAt(at) as number),
        at + ((source.codePointAt(at) as number) > 0xffff ? 2 : 1),
      );
    }
  }
  return units;
}

function isCode(wrapper: Wrapper | null): boolean {
  for (let one = wrapper; one; one = one.parent) if (one.mark.type === "code") return true;
  return false;
}

/** Parse the mark at `at`; null when it is empty, contains an empty line or is nested in its own kind. */
function wrapperAt(
  source: string,
  at: number,
  after: number,
  name: string,
  parent: Wrapper | null,
  ends: Int32Array,
): Wrapper | null {
  const end = source[after] === "{" ? (ends[after] ?? 0) : 0;
  const mark = MARKS[name];
  if (!mark || end <= after + 2) return null;
  for (let one = parent; one; one = one.parent)
    if (one.mark.type === mark.type || (SCRIPTS.has(one.mark.type) && SCRIPTS.has(mark.type))) return null;
  const inner = source.slice(after + 1, end - 1);
  if (/(?:\r\n|\r|\n)[ \t]*[\r\n]/.test(inner)) return null;
  return { mark, open: source.slice(at, after + 1), start: at, inner: after + 1, close: end - 1, parent };
}

/** Return the character that the command at `at` shows, and where the command ends. */
function signAt(source: string, at: number, ends: Int32Array): { sign: string; end: number } | null {
  const after = wordEnd(source, at + 1);
  if (after > at + 1) {
    const name = source.slice(at + 1, after);
    if (Object.hasOwn(SYMBOLS, name)) return { sign: SYMBOLS[name] as string, end: wordOver(source, after) };
    if (name.length === 1 && Object.hasOwn(ACCENTS, name))
      return accentAt(source, after, ACCENTS[name] as string, ends, true);
    return null;
  }
  const sign = source[at + 1] ?? "";
  if (Object.hasOwn(ESCAPED, sign)) return { sign: ESCAPED[sign] as string, end: at + 2 };
  return Object.hasOwn(ACCENTS, sign) ? accentAt(source, at + 2, ACCENTS[sign] as string, ends, false) : null;
}

/** Return the offset after a control word with its `{}` or the spaces that LaTeX skips. */
function wordOver(source: string, after: number): number {
  if (source.startsWith("{}", after)) return after + 2;
  while (source[after] === " " || source[after] === "\t") after++;
  return after;
}

/** Parse the letter under an accent: `e`, `{e}`, `\i`, `{\i}`; after a control word spaces may come first. */
function accentAt(
  source: string,
  at: number,
  accent: string,
  ends: Int32Array,
  word: boolean,
): { sign: string; end: number } | null {
  const letter = (from: number): { sign: string; end: number } | null => {
    if (source[from] === "\\") {
      const end = wordEnd(source, from + 1);
      const name = source.slice(from + 1, end);
      const sign = Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name] : undefined;
      return sign ? { sign, end: wordOver(source, end) } : null;
    }
    const code = source.codePointAt(from);
    if (code === undefined) return null;
    const sign = String.fromCodePoint(code);
    return /^\p{L}$/u.test(sign) ? { sign, end: from + sign.length } : null;
  };
  if (source[at] === "{") {
    const end = ends[at] ?? 0;
    if (!end) return null;
    if (end === at + 2) return emptyAccent(accent, end);
    const inside = letter(at + 1);
    const sign = inside && inside.end === end - 1 ? composeAccent(inside.sign, accent) : null;
    return sign ? { sign, end } : null;
  }
  let from = at;
  while (word && source[from] === " ") from++;
  if (word && from === at && source[at] !== "\\") return null;
  const one = letter(from);
  const sign = one && composeAccent(one.sign, accent);
  return one && sign ? { sign, end: one.end } : null;
}

function emptyAccent(accent: string, end: number): { sign: string; end: number } | null {
  const sign = composeAccent("", accent);
  return sign ? { sign, end } : null;
}

/** Split units into single code points. */
export function splitUnits(units: readonly Unit[]): Unit[] {
  return units.flatMap((unit) => {
    const signs = unit.text === null || unit.text.length < 2 ? [] : [...unit.text];
    if (signs.length < 2) return unit;
    let start = unit.start;
    return signs.map((text, index): Unit => {
      const end = index === signs.length - 1 ? unit.end : start + text.length;
      const one = { text, atom: null, start, end, wrapper: unit.wrapper };
      start = end;
      return one;
    });
  });
}

/** List the marks of a unit, the outermost first. */
export function marksOf(wrapper: Wrapper | null): MarkJSON[] {
  const marks: MarkJSON[] = [];
  for (let one = wrapper; one; one = one.parent) marks.unshift(one.mark);
  return marks;
}

/** Convert units to inline content; text with the same marks becomes one node. */
export function contentOf(units: readonly Unit[]): InlineJSON[] {
  const content: InlineJSON[] = [];
  let run = "";
  let of: Wrapper | null = null;
  const marked = (): { marks?: MarkJSON[] } => (of ? { marks: marksOf(of) } : {});
  const flush = (): void => {
    if (run) content.push({ type: "text", text: run, ...marked() });
    run = "";
  };
  for (const unit of units) {
    if (unit.wrapper !== of) flush();
    of = unit.wrapper;
    if (unit.atom) {
      flush();
      content.push({ ...unit.atom, ...marked() });
    } else {
      run += unit.text ?? "";
    }
  }
  flush();
  return content;
}
