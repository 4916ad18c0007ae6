import { nameAt, wordEnd } from "./structure";

/** A command of a float with the places of what stands in its brackets and braces. */
export interface Command {
  name: string;
  start: number;
  end: number;
  option: [number, number] | null;
  group: [number, number] | null;
}

/** `\begin{figure}[placement]`: where the placement stands and where the inside begins. */
export interface Opening {
  env: string;
  placement: [number, number] | null;
  inside: number;
  finish: number;
}

export function openingOf(source: string, ends: Int32Array): Opening {
  const env = nameAt(source, 6) ?? "";
  const at = env.length + 8;
  const end = source[at] === "[" ? (ends[at] ?? 0) : 0;
  return { env, placement: end ? [at + 1, end - 1] : null, inside: end || at, finish: source.length - env.length - 6 };
}

/** The command at `at` with one option and one group at most. */
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
