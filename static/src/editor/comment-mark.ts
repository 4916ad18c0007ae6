import { el, icon } from "../cite-dialog/render";

/** A comment in the source: its words, and where it comes from if Scholium wrote it. */
export interface SourceComment {
  words: string;
  /** The address of the run or the analysis that the text before it comes from, within the thesis. */
  origin: { kind: "analysis" | "research"; id: string } | null;
}

const ID = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})";
const ORIGIN = new RegExp(`^(From (analysis|research)\\b.*?) \\((?:analysis|run) ${ID}\\)(.*)$`);

/** Parse LaTeX that is nothing but comments, such as `% From analysis 4 “...” (analysis ID)`; else null. */
export function commentOf(latex: string): SourceComment | null {
  const lines = latex.split(/\r\n|\r|\n/).map((line) => line.trim());
  if (!lines.some((line) => line.startsWith("%")) || lines.some((line) => line && !line.startsWith("%"))) return null;
  const words = lines
    .map((line) => line.replace(/^%+\s*/, ""))
    .filter(Boolean)
    .join(" ");
  const found = ORIGIN.exec(words);
  if (!found) return { words: words || "Comment", origin: null };
  const kind = found[2] as "analysis" | "research";
  return { words: `${found[1]}${found[4]}`, origin: { kind, id: found[3]! } };
}

/** Draw a comment as a note in the margin. What comes from an analysis or a run links to it. */
export function drawComment(dom: HTMLElement, { words, origin }: SourceComment): void {
  const note = el("span", { class: "scholium source-comment" }, icon(origin ? "link" : "comment"));
  const address = origin && addressOf(origin);
  if (address) note.append(el("a", { href: address, target: "_blank", rel: "noopener" }, words));
  else note.append(words);
  dom.replaceChildren(note);
  dom.title = origin ? "Where this comes from. It is not printed." : "A comment in the source. It is not printed.";
}

function addressOf({ kind, id }: NonNullable<SourceComment["origin"]>): string {
  if (kind === "research") return `/runs/${id}/`;
  const thesis = /^\/projects\/[^/]+\//.exec(location.pathname)?.[0];
  return thesis ? `${thesis}analyses/${id}/` : "";
}
