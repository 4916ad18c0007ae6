import type { MathBlockJSON } from "./document";
import { nameAt } from "./structure";

interface Parts {
  env: string;
  /** The range of the trimmed formula. */
  place: [number, number];
}

function partsOf(source: string): Parts | null {
  const env = source.startsWith("\\begin") ? nameAt(source, 6) : source.startsWith("$$") ? "$$" : "[";
  if (env === null) return null;
  const opening = env === "$$" || env === "[" ? 2 : env.length + 8;
  const closing = env === "$$" || env === "[" ? 2 : env.length + 6;
  const inside = source.slice(opening, source.length - closing);
  const start = opening + inside.length - inside.trimStart().length;
  return { env, place: [start, Math.max(start, opening + inside.trimEnd().length)] };
}

/** Parse a displayed formula. */
export function readMaths(source: string): MathBlockJSON | null {
  const parts = partsOf(source);
  return parts && { type: "mathBlock", attrs: { latex: source.slice(...parts.place), env: parts.env } };
}

/** Write a displayed formula as LaTeX. */
export function writeMaths({ attrs }: MathBlockJSON, source: string | null, newline: string): string {
  const parts = source === null ? null : partsOf(source);
  if (source !== null && parts?.env === attrs.env)
    return source.slice(0, parts.place[0]) + attrs.latex + source.slice(parts.place[1]);
  const latex = attrs.latex.trim();
  if (attrs.env === "$$") return `$$${newline}${latex}${newline}$$`;
  if (attrs.env === "[" || !attrs.env) return `\\[${newline}${latex}${newline}\\]`;
  return `\\begin{${attrs.env}}${newline}${latex}${newline}\\end{${attrs.env}}`;
}
