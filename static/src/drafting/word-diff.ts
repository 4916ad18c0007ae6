import { hunks } from "../latex/hunks";

/** The unit of comparison: a citation, a LaTeX command or special character, a comment, a word or white space. */
export interface Piece {
  kind: "cite" | "tex" | "comment" | "words";
  text: string;
  keys?: string[]; // of a citation
}

/** Consecutive pieces that were all kept, inserted or deleted. */
export interface Run {
  fate: "same" | "ins" | "del";
  pieces: Piece[];
}

const LONGEST_COMPARED = 50_000; // characters of a paragraph that is compared word by word
const PIECE = new RegExp(
  [
    String.raw`(?<comment>%[^\n\r]*)`,
    String.raw`(?<cite>\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\s*\[[^[\]{}]*\]){0,2}\s*\{(?<keys>[^{}\\]*)\})`,
    String.raw`(?<tex>\\(?:[A-Za-z@]+\*?|[^])|[{}$&~^_#])`,
    String.raw`[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*`,
    String.raw`\s+`,
    String.raw`[^]`,
  ].join("|"),
  "gu",
);

/** Split a text into pieces. */
export function piecesOf(text: string): Piece[] {
  return [...text.matchAll(PIECE)].map(({ 0: piece, groups = {} }) => {
    if (groups.cite !== undefined) {
      const keys = (groups.keys ?? "")
        .split(",")
        .map((key) => key.trim())
        .filter(Boolean);
      return { kind: "cite", text: piece, keys };
    }
    return { kind: groups.comment !== undefined ? "comment" : groups.tex !== undefined ? "tex" : "words", text: piece };
  });
}

/**
 * Compare two versions of a paragraph word by word. Moved line breaks are no change. When less than 40% stays, the
 * whole paragraph is shown as deleted and inserted, because a patchwork of both is hard to read.
 */
export function wordDiff(was: string, now: string): Run[] {
  const [old, young] = [piecesOf(was), piecesOf(now)];
  if (!was.trim() || !now.trim() || Math.max(was.length, now.length) > LONGEST_COMPARED)
    return replacedWhole(old, young);
  const found = hunks(old.map(keyOf), young.map(keyOf));
  const stays = old.length - found.reduce((sum, { start, end }) => sum + end - start, 0);
  if (stays < Math.min(old.length, young.length) * 0.4) return replacedWhole(old, young);
  const runs: Run[] = [];
  let at = 0;
  for (const { start, end, from, to } of found) {
    const since = young.slice(at, from);
    // A single space between two changes belongs to them; else each word would be a change of its own.
    if (since.length === 1 && isBlank(since[0]!) && runs.length) {
      add(runs, "del", since);
      add(runs, "ins", since);
    } else add(runs, "same", since);
    add(runs, "del", old.slice(start, end));
    add(runs, "ins", young.slice(from, to));
    at = to;
  }
  add(runs, "same", young.slice(at));
  return runs;
}

function keyOf(piece: Piece): string {
  return isBlank(piece) ? " " : piece.text;
}

function isBlank({ kind, text }: Piece): boolean {
  return kind === "words" && !text.trim();
}

function replacedWhole(old: Piece[], young: Piece[]): Run[] {
  const runs: Run[] = [];
  add(runs, "del", old);
  add(runs, "ins", young);
  return runs;
}

/** Append pieces so that between two unchanged runs there is at most one deletion and one insertion. */
function add(runs: Run[], fate: Run["fate"], pieces: Piece[]): void {
  if (!pieces.length) return;
  const since = runs.slice(runs.findLastIndex((run) => run.fate === "same") + 1);
  const open = fate === "same" ? undefined : since.find((run) => run.fate === fate);
  if (open) open.pieces.push(...pieces);
  else runs.push({ fate, pieces: [...pieces] });
}
