import type { AtomJSON, InlineJSON, MarkJSON } from "./document";

/** A character or atom of the content. `key` is equal for pieces that look the same. */
export interface Piece {
  key: string;
  text: string | null;
  atom: AtomJSON | null;
  marks: MarkJSON[];
}

const ORDER = ["bold", "italic", "smallcaps", "underline", "superscript", "subscript", "code"];

/** Return the key of a mark. */
export function markKey(mark: MarkJSON): string {
  return mark.type === "italic" ? `italic:${mark.attrs?.command || "emph"}` : mark.type;
}

/** Return the key of a set of marks. */
export function marksKey(marks: readonly MarkJSON[] | undefined): string {
  return marks?.length ? marks.map(markKey).sort().join(" ") : "";
}

/** Return the key of an atom, independent of how it was written. */
export function atomKey(atom: AtomJSON): string {
  switch (atom.type) {
    case "cite": {
      const { command, keys, pre, post } = atom.attrs;
      return JSON.stringify(["cite", command, keys, pre ?? null, post ?? null]);
    }
    case "ref":
      return JSON.stringify(["ref", atom.attrs.command, atom.attrs.key]);
    case "label":
      return JSON.stringify(["label", atom.attrs.key]);
    case "maths":
      return JSON.stringify(["maths", atom.attrs.latex, atom.attrs.delimiters || "$"]);
    case "url":
      return JSON.stringify(["url", atom.attrs.command || "url", atom.attrs.href, atom.attrs.text]);
    case "footnote":
    case "raw":
      return JSON.stringify([atom.type, atom.attrs.latex]);
    case "hardBreak":
    case "softBreak":
      return atom.type;
  }
}

/** Split content into pieces of one code point or atom, with marks in the order of writing. */
export function piecesOf(content: readonly InlineJSON[] | undefined): Piece[] {
  const pieces: Piece[] = [];
  for (const node of content ?? []) {
    const marks = [...(node.marks ?? [])].sort((one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type));
    const prefix = `${marksKey(marks)}\0`;
    if (node.type === "text") {
      for (const sign of node.text) pieces.push({ key: `${prefix}${sign}`, text: sign, atom: null, marks });
    } else {
      pieces.push({ key: `${prefix}\0${atomKey(node)}`, text: null, atom: node, marks });
    }
  }
  return pieces;
}

/** Return a key that is equal for equal content. */
export function contentKey(content: readonly InlineJSON[] | undefined): string {
  let key = "";
  let last = "";
  for (const node of content ?? []) {
    const marks = marksKey(node.marks);
    if (marks !== last) key += `\u0001${marks}\u0001`;
    last = marks;
    key += node.type === "text" ? node.text : `\u0002${atomKey(node)}\u0002`;
  }
  return key;
}

/** Return a key like `contentKey` that ignores kinds of white space and the `{}` after a macro. */
export function visibleKey(content: readonly InlineJSON[] | undefined): string {
  const pieces = piecesOf(content);
  const parts = pieces.map(({ key, text, atom, marks }) => {
    if (atom?.type === "softBreak" || (text !== null && /[ \t\r\n]/.test(text))) return " ";
    if (atom?.type === "raw")
      return `${marksKey(marks)}\u0002${atom.attrs.latex.replace(/(?:\s|\{\})+$/, "").replace(/\r\n?/g, "\n")}\u0002`;
    return key;
  });
  return parts
    .join("\u0003")
    .replace(/(?:\u0003? )+\u0003?/g, " ")
    .replace(/\u0003/g, "")
    .trim();
}
