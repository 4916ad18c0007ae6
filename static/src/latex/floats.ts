import { nameAt, wordEnd } from "./structure";

/** A command in a float, with the ranges of its option and its argument. */
export interface Command {
  name: string;
  start: number;
  end: number;
  option: [number, number] | null;
  group: [number, number] | null;
}

/** The opening `\begin{figure}[placement]`: the range of the placement and where the content starts and ends. */
export interface Opening {
  env: string;
  placement: [number, number] | null;
  inside: number;
  finish: number;
}

/** Parse the opening of an environment. */
export function openingOf(source: string, ends: Int32Array): Opening {
  const env = nameAt(source, 6) ?? "";
  const at = env.length + 8;
  const end = source[at] === "[" ? (ends[at] ?? 0) : 0;
  return { env, placement: end ? [at + 1, end - 1] : null, inside: end || at, finish: source.length - env.length - 6 };
}

/** Parse the command at `at` with at most one option and one argument. */
export function commandAt(source: string, at: number, ends: Int32Array): Command {
  let i = wordEnd(source, at + 1);
  const name = source.slice(at + 1, i);
  let option: Command["option"] = null;
  let group: Command["group"] = null;
  if (source[i] === "[" && ends[i]) {
    option = [i + 1, (ends[i] ?? 0) - 1];
    i = ends[i] ?? 0;
  }
  if (source[i] === "{" && ends[i]) {
    group = [i + 1, (ends[i] ?? 0) - 1];
    i = ends[i] ?? 0;
  }
  return { name, start: at, end: i, option, group };
}
