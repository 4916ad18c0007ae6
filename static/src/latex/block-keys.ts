import type { BlockJSON, CellJSON, InlineJSON } from "./document";
import { headingCommand } from "./headings";
import { contentKey } from "./keys";

/** Return a key that is equal for blocks with the same content; `SourceAttrs` do not count. */
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
      const { caption, label, colspec, placement, floating, notes, env } = node.attrs ?? {};
      const rows = node.content.map((row) => row.content.map(cellKey));
      return JSON.stringify([
        "table",
        caption || null,
        label || null,
        colspec ?? null,
        env === "longtable" || floating === false ? null : placement || null, // these stay where they are
        floating ?? true,
        notes || null,
        env || null,
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

/** Return the key of a cell. Whether it is a heading does not count; the table's rules decide that. */
export function cellKey(cell: CellJSON): string {
  return cellShape(cell) + contentKey(cellContent(cell));
}

/** Return the key of what a cell takes: its columns, its rows and the specification of its own. */
export function cellShape({ attrs }: CellJSON): string {
  const [columns, rows, spec] = [Number(attrs?.colspan ?? 1), Number(attrs?.rowspan ?? 1), attrs?.spec ?? null];
  return columns > 1 || rows > 1 || spec !== null ? `${columns} ${rows} ${String(spec)} ` : "";
}

/** Return the inline content of a cell, with or without paragraphs around it. */
export function cellContent(cell: CellJSON): InlineJSON[] {
  const paragraphs = (cell.content ?? []).filter((node) => node.type === "paragraph");
  if (!paragraphs.length) return (cell.content ?? []) as InlineJSON[];
  return paragraphs.flatMap(({ content }, index) => [
    ...(index ? [{ type: "text" as const, text: " " }] : []),
    ...(content ?? []),
  ]);
}
