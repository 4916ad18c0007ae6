import type { BlockJSON, CellJSON, InlineJSON } from "./document";
import { headingCommand } from "./headings";
import { contentKey } from "./keys";

/** One string for a block, equal where two say the same; what only keeps its source (`Kept`) does not count. */
export function blockKey(node: BlockJSON): string {
  switch (node.type) {
    case "paragraph":
      return `paragraph ${contentKey(node.content)}`;
    case "heading": {
      const { starred, label, short } = node.attrs;
      return JSON.stringify([
        "heading",
        headingCommand(node.attrs),
        !!starred,
        label || null,
        short ?? null,
        contentKey(node.content),
      ]);
    }
    case "bulletList":
    case "orderedList":
      return JSON.stringify([
        node.type,
        node.attrs?.options ?? null,
        node.content.map(({ content }) => content.map(blockKey)),
      ]);
    case "blockquote":
      return JSON.stringify(["blockquote", node.attrs?.env || "quote", node.content.map(blockKey)]);
    case "table": {
      const { caption, label, colspec, placement, floating } = node.attrs ?? {};
      const rows = node.content.map((row) => row.content.map(cellKey));
      return JSON.stringify([
        "table",
        caption || null,
        label || null,
        colspec ?? null,
        placement || null,
        floating ?? true,
        rows,
      ]);
    }
    case "figure": {
      const { path, options, label, placement } = node.attrs;
      return JSON.stringify([
        "figure",
        path,
        options || null,
        label || null,
        placement || null,
        contentKey(node.content),
      ]);
    }
    case "mathBlock":
      return JSON.stringify(["maths", node.attrs.latex, node.attrs.env]);
    case "rawBlock":
      return JSON.stringify(["raw", node.attrs.latex]);
  }
}

/** A cell's text counts, not whether it is a heading: the rules of the table say that. */
export function cellKey(cell: CellJSON): string {
  const span = Number(cell.attrs?.colspan ?? 1);
  return (span > 1 ? `${span} ` : "") + contentKey(cellContent(cell));
}

export function cellContent(cell: CellJSON): InlineJSON[] {
  const paragraphs = (cell.content ?? []).filter((node) => node.type === "paragraph");
  if (!paragraphs.length) return (cell.content ?? []) as InlineJSON[];
  return paragraphs.flatMap(({ content }, index) => [
    ...(index ? [{ type: "text" as const, text: " " }] : []),
    ...(content ?? []),
  ]);
}
