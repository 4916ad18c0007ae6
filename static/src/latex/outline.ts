import { headingAt, LEVELS, splitWith } from "./blocks";
import { contentOf, unitsOf } from "./inline";
import { structure } from "./structure";

/** A heading in the outline. */
export interface OutlineEntry {
  /** 1 for part and chapter to 6 for subparagraph. */
  level: number;
  /** The title as plain text on one line. */
  title: string;
  /** The position of its command, in UTF-16 units. */
  offset: number;
}

/** List the headings of a text. Those inside comments, verbatim and other environments do not count. */
export function outlineOf(source: string): OutlineEntry[] {
  const paired = structure(source);
  const found: OutlineEntry[] = [];
  let offset = 0;
  for (const block of splitWith(source, paired).blocks) {
    offset += block.before.length;
    const heading = block.kind === "heading" ? headingAt(source, offset, paired.ends) : null;
    if (heading)
      found.push({ level: LEVELS[heading.name] ?? 1, title: titleOf(source.slice(...heading.title)), offset });
    offset += block.source.length;
  }
  return found;
}

function titleOf(latex: string): string {
  const units = unitsOf(latex);
  if (!units) return latex.replace(/\s+/g, " ").trim();
  const shown = contentOf(units).map((node) => {
    if (node.type === "text") return node.text;
    if (node.type === "maths") return node.attrs.latex;
    return node.type === "raw" ? (/^\{(.*)\}$/s.exec(node.attrs.latex)?.[1] ?? " ") : " ";
  });
  return shown.join("").replace(/\s+/g, " ").trim();
}
