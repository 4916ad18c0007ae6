import { hunks } from "../latex/hunks";

/**
 * A piece of a paragraph as it is compared: a citation, a command or sign of LaTeX, a comment, words or white space.
 */
export interface Piece {
  kind: "cite" | "tex" | "comment" | "words";
  text: string;
  keys?: string[]; // of a citation
}

/** Neighbouring pieces of one fate. */
export interface Run {
  fate: "same" | "ins" | "del";
  pieces: Piece[];
}

const LONGEST = 50_000; // characters of a paragraph that is compared word by word
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
 * What a paragraph becomes, by its words. White space that merely breaks its lines elsewhere is no change. A paragraph
 * of which little stays is shown as taken out and put in as a whole: a mosaic of both cannot be read.
 */
export function differing(was: string, now: string): Run[] {
  const [old, young] = [piecesOf(was), piecesOf(now)];
  if (!was.trim() || !now.trim() || Math.max(was.length, now.length) > LONGEST) return whole(old, young);
  const found = hunks(old.map(keyOf), young.map(keyOf));
  const stays = old.length - found.reduce((sum, { start, end }) => sum + end - start, 0);
  if (stays < Math.min(old.length, young.length) * 0.4) return whole(old, young);
  const runs: Run[] = [];
  let at = 0;
  for (const { start, end, from, to } of found) {
    const since = young.slice(at, from);
    // A single blank between two changes is part of them: else each word would be a change of its own.
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

function whole(old: Piece[], young: Piece[]): Run[] {
  const runs: Run[] = [];
  add(runs, "del", old);
  add(runs, "ins", young);
  return runs;
}

/** Between two stretches that stay there is one of what goes and one of what comes. */
function add(runs: Run[], fate: Run["fate"], pieces: Piece[]): void {
  if (!pieces.length) return;
  const since = runs.slice(runs.findLastIndex((run) => run.fate === "same") + 1);
  const open = fate === "same" ? undefined : since.find((run) => run.fate === fate);
  if (open) open.pieces.push(...pieces);
  else runs.push({ fate, pieces: [...pieces] });
}
