import type { Node } from "@tiptap/pm/model";
import { toLatex, type BlockJSON, type DocJSON } from "../latex";

const MARK = "\uFEFF"; // byte order mark; stays the first character

/** The LaTeX of a block after the blocks that preceded it when it was written. */
interface CachedLatex {
  preceding: readonly Node[];
  latex: string;
}

/**
 * The LaTeX of the document, written on demand and cached per block: an unchanged block is the same node, so a key
 * press costs writing one block. The text between two blocks belongs to the second one.
 */
export class LatexWriter {
  private cache = new WeakMap<Node, CachedLatex>();
  private doc: Node | null = null;
  private parts: string[] = [];
  private text = "";

  constructor(
    private tail: string,
    private newline: string,
  ) {}

  /** Take over the LaTeX of a document that has just been read, without writing it. */
  adoptRead(doc: Node, tail: string, newline: string): void {
    [this.tail, this.newline, this.doc] = [tail, newline, null];
    this.fillCache(doc, (block) => {
      const { before, source } = block.attrs as { before: string | null; source: string | null };
      // The empty paragraph of an empty text has no LaTeX.
      return (before ?? "") + (source ?? "");
    });
  }

  /** Take over `parts` as the LaTeX of the blocks of `doc`. */
  adopt(doc: Node, parts: readonly string[], tail: string, newline: string): void {
    [this.tail, this.newline, this.doc] = [tail, newline, null];
    if (parts.length === doc.childCount) this.fillCache(doc, (_, index) => parts[index]!);
  }

  /** Return the LaTeX of the whole document. */
  latex(doc: Node): string {
    this.write(doc);
    return this.text;
  }

  /** Return the range of a block in the LaTeX; `start` includes the white space before it, `from` does not. */
  span(doc: Node, index: number): { start: number; from: number; end: number } {
    this.write(doc);
    let start = 0;
    for (let at = 0; at < index; at++) start += this.parts[at]!.length;
    const part = this.parts[index] ?? "";
    return { start, from: start + (part.length - part.trimStart().length), end: start + part.length };
  }

  /** Return the index of the block at `offset` of the LaTeX. */
  indexAt(doc: Node, offset: number): number {
    this.write(doc);
    let end = 0;
    for (let at = 0; at < this.parts.length; at++) {
      end += this.parts[at]!.length;
      if (offset <= end) return at;
    }
    return Math.max(0, this.parts.length - 1);
  }

  private fillCache(doc: Node, latexOf: (block: Node, index: number) => string): void {
    const preceding = new PrecedingBlocks(doc);
    doc.forEach((block, _, index) => {
      this.cache.set(block, { preceding: preceding.blocks, latex: latexOf(block, index) });
      preceding.add(block);
    });
  }

  private write(doc: Node): void {
    if (doc === this.doc) return;
    const { head, tail } = this.doc ? countSame(this.doc, doc) : { head: 0, tail: 0 };
    const parts = this.parts.slice(0, head);
    const preceding = new PrecedingBlocks(doc, head);
    for (let settled = false; parts.length < doc.childCount && !settled;) {
      const block = doc.child(parts.length);
      // After the first non-empty block of the unchanged tail nothing differs any more.
      settled = parts.length >= doc.childCount - tail && !isEmptyParagraph(block);
      parts.push(this.latexOf(block, preceding.blocks));
      preceding.add(block);
    }
    this.parts = [...parts, ...this.parts.slice(this.parts.length - (doc.childCount - parts.length))];
    this.doc = doc;
    const marked = this.tail.startsWith(MARK);
    this.text = (marked ? MARK : "") + this.parts.join("") + (marked ? this.tail.slice(1) : this.tail);
  }

  private latexOf(block: Node, preceding: readonly Node[]): string {
    const known = this.cache.get(block);
    if (
      known &&
      known.preceding.length === preceding.length &&
      known.preceding.every((node, at) => node === preceding[at])
    )
      return known.latex;
    const before = preceding.map((node) => node.toJSON() as BlockJSON);
    const latex = this.join([...before, block.toJSON() as BlockJSON]).slice(
      before.length ? this.join(before).length : 0,
    );
    this.cache.set(block, { preceding, latex });
    return latex;
  }

  private join(content: BlockJSON[]): string {
    return toLatex({ type: "doc", content } satisfies DocJSON, "", this.newline);
  }
}

/** The context that the LaTeX between two blocks depends on: the last non-empty block and the empty ones after it. */
class PrecedingBlocks {
  blocks: readonly Node[] = [];

  /** Create the context of the block at `index`. */
  constructor(doc: Node, index = 0) {
    let from = index;
    while (from > 0 && isEmptyParagraph(doc.child(from - 1))) from--;
    for (from = Math.max(0, from - 1); from < index; from++) this.add(doc.child(from));
  }

  add(block: Node): void {
    this.blocks = isEmptyParagraph(block) ? [...this.blocks, block] : [block];
  }
}

/** Tell whether a block is an empty paragraph, which has no LaTeX. */
function isEmptyParagraph(block: Node): boolean {
  return block.type.name === "paragraph" && !block.content.size;
}

/** Count the identical nodes at the start and at the end of two documents. */
function countSame(before: Node, after: Node): { head: number; tail: number } {
  const shorter = Math.min(before.childCount, after.childCount);
  let [head, tail] = [0, 0];
  while (head < shorter && before.child(head) === after.child(head)) head++;
  while (
    tail < shorter - head &&
    before.child(before.childCount - 1 - tail) === after.child(after.childCount - 1 - tail)
  )
    tail++;
  return { head, tail };
}
