import type { Node } from "@tiptap/pm/model";
import { toLatex, type BlockJSON, type DocJSON } from "../latex";

const MARK = "\uFEFF"; // of a file's byte order: it stays the first sign

/** LaTeX of a block behind the blocks it was behind when it was written. */
interface Known {
  behind: readonly Node[];
  latex: string;
}

/**
 * The LaTeX of the document, written as it is asked for: a block that has not been touched is the same node, so its
 * LaTeX is known, and a key press costs the writing of one block, whatever stands before and behind it. What stands
 * between two blocks is written with the second.
 */
export class Written {
  private known = new WeakMap<Node, Known>();
  private doc: Node | null = null;
  private parts: string[] = [];
  private text = "";

  constructor(
    private tail: string,
    private newline: string,
  ) {}

  /** Take the LaTeX of a document that has just been read, without writing any of it. */
  read(doc: Node, tail: string, newline: string): void {
    [this.tail, this.newline, this.doc] = [tail, newline, null];
    this.keep(doc, (block) => {
      const { before, source } = block.attrs as { before: string | null; source: string | null };
      // The empty paragraph of an empty text stands for nothing.
      return (before ?? "") + (source ?? "");
    });
  }

  /** Take `parts` as the LaTeX of the blocks of `doc`, which has been made to show them. */
  settle(doc: Node, parts: readonly string[], tail: string, newline: string): void {
    [this.tail, this.newline, this.doc] = [tail, newline, null];
    if (parts.length === doc.childCount) this.keep(doc, (_, index) => parts[index]!);
  }

  latex(doc: Node): string {
    this.write(doc);
    return this.text;
  }

  /** Where in the LaTeX the block with this index begins and ends, with and without the blanks before it. */
  span(doc: Node, index: number): { start: number; from: number; end: number } {
    this.write(doc);
    let start = 0;
    for (let at = 0; at < index; at++) start += this.parts[at]!.length;
    const part = this.parts[index] ?? "";
    return { start, from: start + (part.length - part.trimStart().length), end: start + part.length };
  }

  /** The index of the block in which `offset` of the LaTeX lies. */
  indexAt(doc: Node, offset: number): number {
    this.write(doc);
    let end = 0;
    for (let at = 0; at < this.parts.length; at++) {
      end += this.parts[at]!.length;
      if (offset <= end) return at;
    }
    return Math.max(0, this.parts.length - 1);
  }

  private keep(doc: Node, latexOf: (block: Node, index: number) => string): void {
    const behind = new Behind(doc);
    doc.forEach((block, _, index) => {
      this.known.set(block, { behind: behind.now, latex: latexOf(block, index) });
      behind.add(block);
    });
  }

  private write(doc: Node): void {
    if (doc === this.doc) return;
    const { head, tail } = this.doc ? same(this.doc, doc) : { head: 0, tail: 0 };
    const parts = this.parts.slice(0, head);
    const behind = new Behind(doc, head);
    for (let settled = false; parts.length < doc.childCount && !settled;) {
      const block = doc.child(parts.length);
      // What follows the first block of the tail has the same before it as it had.
      settled = parts.length >= doc.childCount - tail && !isNothing(block);
      parts.push(this.latexOf(block, behind.now));
      behind.add(block);
    }
    this.parts = [...parts, ...this.parts.slice(this.parts.length - (doc.childCount - parts.length))];
    this.doc = doc;
    const marked = this.tail.startsWith(MARK);
    this.text = (marked ? MARK : "") + this.parts.join("") + (marked ? this.tail.slice(1) : this.tail);
  }

  private latexOf(block: Node, behind: readonly Node[]): string {
    const known = this.known.get(block);
    if (known && known.behind.length === behind.length && known.behind.every((node, at) => node === behind[at]))
      return known.latex;
    const before = behind.map((node) => node.toJSON() as BlockJSON);
    const latex = this.join([...before, block.toJSON() as BlockJSON]).slice(
      before.length ? this.join(before).length : 0,
    );
    this.known.set(block, { behind, latex });
    return latex;
  }

  private join(content: BlockJSON[]): string {
    return toLatex({ type: "doc", content } satisfies DocJSON, "", this.newline);
  }
}

/**
 * What the LaTeX between two blocks depends on: the last block that is not empty, and the empty paragraphs behind it.
 */
class Behind {
  now: readonly Node[] = [];

  /** As it is before the block of `doc` with this index. */
  constructor(doc: Node, index = 0) {
    let from = index;
    while (from > 0 && isNothing(doc.child(from - 1))) from--;
    for (from = Math.max(0, from - 1); from < index; from++) this.add(doc.child(from));
  }

  add(block: Node): void {
    this.now = isNothing(block) ? [...this.now, block] : [block];
  }
}

/** An empty paragraph, which is no LaTeX. */
function isNothing(block: Node): boolean {
  return block.type.name === "paragraph" && !block.content.size;
}

/** How many blocks at the head and at the tail are the very same nodes. */
function same(before: Node, after: Node): { head: number; tail: number } {
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
