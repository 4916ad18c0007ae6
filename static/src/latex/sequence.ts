import { splitWith, isBlankLine, type Kind } from "./blocks";
import type { BlockJSON } from "./document";
import { blockOf } from "./read";
import { structure } from "./structure";
import { isAsRead, writeBlock } from "./write";

interface Written {
  text: string;
  asRead: boolean;
  /** What it begins and ends as. */
  first: Kind;
  last: Kind;
  place: number | null;
}

/**
 * Blocks one after the other. One that is as it was read is written as it was; neighbours that still are neighbours keep what stood between them,
 * others get an empty line, in the text's own line end, unless what stood before them parts them well enough. An empty paragraph is nothing.
 * `indent`: not null inside an item of a list; it stands before each line that is begun anew.
 */
export function writeSequence(nodes: readonly BlockJSON[], newline: string, indent: string | null = null): string {
  let out = "";
  let last: Written | null = null;
  let edited: string | null = null; // source of the block before, when it was edited: the other half of a split paragraph has it
  for (const node of nodes) {
    const { source = null, before = null, place = null } = node.attrs ?? {};
    const asRead = isAsRead(node);
    const text = asRead ? (source ?? "") : writeBlock(node, newline, indent ?? "", source === null ? edited : null);
    edited = asRead ? null : source;
    if (!text) continue;
    const kinds = kindsOf(text, asRead);
    if (!last) out += place === 0 || place === undefined ? (before ?? "") : "";
    else if (before !== null && asRead && last.asRead && place !== null && last.place === place - 1) out += before;
    else if (before !== null && !before.includes("\uFEFF") && parts(last, before, kinds.first, text)) out += before;
    else out += gap(newline, indent, kinds.first, last.last);
    out += text;
    last = { text, asRead, ...kinds, place };
  }
  return out;
}

function gap(newline: string, indent: string | null, kind: Kind, last: Kind): string {
  if (indent === null) return newline + newline;
  return (kind === "list" && last !== "comment" ? newline : newline + newline) + indent;
}

function kindsOf(text: string, asRead: boolean): { first: Kind; last: Kind } {
  const known = asRead ? blockOf(text) : null;
  if (known) return { first: known.kind, last: known.kind };
  const { blocks } = splitWith(text, structure(text), false);
  return { first: blocks[0]?.kind ?? "paragraph", last: blocks[blocks.length - 1]?.kind ?? "paragraph" };
}

/** Whether `before` keeps two blocks apart: whether they would be read as two again. */
function parts(last: Written, before: string, kind: Kind, text: string): boolean {
  if (isBlankLine(before)) return true;
  const ended = /[\r\n]/.test(before);
  if (last.last === "comment") return ended && kind !== "comment";
  if (last.last === "paragraph") {
    const commented = last.text.slice(Math.max(last.text.lastIndexOf("\n"), last.text.lastIndexOf("\r")) + 1).includes("%");
    if (commented && !ended) return false;
    return kind === "environment" ? ended : kind !== "paragraph" && kind !== "comment";
  }
  return !(last.last === "heading" && text.startsWith("\\label"));
}
