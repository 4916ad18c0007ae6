import { getSchema } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { Transform } from "@tiptap/pm/transform";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cite } from "../citation-chips/cite-node";
import { toDocument } from "../latex";
import { chapters, dice } from "../latex/edits.test-data";
import { atoms } from "./inline-chips";
import { blocks } from "./blocks";
import { Figure } from "./figure";
import { marks } from "./marks";
import { MathBlock, RawBlock } from "./raw-block";
import { table } from "./table";
import { LatexWriter } from "./document-to-latex";

const schema = getSchema([...blocks, ...atoms, ...marks, ...table, Figure, RawBlock, MathBlock, Cite]);

/** Parse a document and return it with a function that creates a writer for it. */
function opened(source: string): { doc: Node; writer: () => LatexWriter } {
  const read = toDocument(source);
  const doc = schema.nodeFromJSON(read.doc);
  return {
    doc,
    writer: () => {
      const made = new LatexWriter(read.tail, read.newline);
      made.adoptRead(doc, read.tail, read.newline);
      return made;
    },
  };
}

type Change = (doc: Node, roll: () => number) => Transform;

const some = (count: number, roll: () => number): number => Math.floor(roll() * count);
const startOf = (doc: Node, index: number): number =>
  Array.from({ length: index }, (_, at) => doc.child(at).nodeSize).reduce((sum, size) => sum + size, 0);

/** Return a paragraph of the document by its index, else the last block. */
function paragraph(doc: Node, roll: () => number): { at: number; node: Node } | null {
  const places = Array.from({ length: doc.childCount }, (_, at) => at).filter(
    (at) => doc.child(at).type.name === "paragraph",
  );
  const index = places[some(places.length, roll)];
  return index === undefined ? null : { at: startOf(doc, index), node: doc.child(index) };
}

const CHANGES: Record<string, Change> = {
  letter: (doc, roll) => {
    const found = paragraph(doc, roll);
    return found
      ? new Transform(doc).insert(found.at + 1 + found.node.content.size, schema.text("x%"))
      : new Transform(doc);
  },
  split: (doc, roll) => {
    const found = paragraph(doc, roll);
    return found
      ? new Transform(doc).split(found.at + 1 + some(found.node.content.size + 1, roll))
      : new Transform(doc);
  },
  nothing: (doc, roll) =>
    new Transform(doc).insert(startOf(doc, some(doc.childCount + 1, roll)), schema.nodes.paragraph!.create()),
  emptied: (doc, roll) => {
    const found = paragraph(doc, roll);
    return found?.node.content.size
      ? new Transform(doc).delete(found.at + 1, found.at + 1 + found.node.content.size)
      : new Transform(doc);
  },
  gone: (doc, roll) => {
    const index = some(doc.childCount, roll);
    const at = startOf(doc, index);
    return doc.childCount > 1 ? new Transform(doc).delete(at, at + doc.child(index).nodeSize) : new Transform(doc);
  },
  moved: (doc, roll) => {
    const index = some(doc.childCount, roll);
    const [at, block] = [startOf(doc, index), doc.child(index)];
    if (doc.childCount < 2) return new Transform(doc);
    const change = new Transform(doc).delete(at, at + block.nodeSize);
    return change.insert(startOf(change.doc, some(change.doc.childCount + 1, roll)), block);
  },
  twice: (doc, roll) => {
    const block = doc.child(some(doc.childCount, roll));
    return new Transform(doc).insert(startOf(doc, some(doc.childCount + 1, roll)), block);
  },
};

test("writing block by block after each change equals writing everything at once", () => {
  const names = Object.keys(CHANGES);
  for (const [place, [name, source]] of chapters().entries()) {
    const roll = dice(place + 1);
    const { doc: begun, writer } = opened(source.slice(0, 3_000));
    const written = writer();
    let doc = begun;
    const done: string[] = [];
    for (let step = 0; step < 20; step++) {
      const kind = names[some(names.length, roll)]!;
      doc = CHANGES[kind]!(doc, roll).doc;
      done.push(kind);
      if (roll() < 0.3) continue; // several changes between two reads
      const latex = written.latex(doc);
      assert.equal(latex, writer().latex(doc), `${name} after ${done.join(", ")}`);
      for (let index = 1; index < doc.childCount; index++)
        assert.equal(written.span(doc, index).start, written.span(doc, index - 1).end);
    }
  }
});

test("empty paragraphs do not hide the context of the next block", () => {
  const { doc, writer } = opened("One.\n\n\\section{A}Two.\n");
  const written = writer();
  const apart = new Transform(doc).insert(startOf(doc, 2), schema.nodes.paragraph!.create()).doc;
  assert.equal(written.latex(apart), "One.\n\n\\section{A}Two.\n");
  const joined = new Transform(apart).delete(startOf(apart, 1), startOf(apart, 2)).doc;
  assert.equal(written.latex(joined), "One.\n\nTwo.\n");
});

test("a letter typed in one of 3,000 paragraphs rewrites one block", () => {
  const { doc, writer } = opened(
    Array.from({ length: 3_000 }, (_, n) => `Sentence ${n} \\cite{author${n}}.`).join("\n\n"),
  );
  const written = writer();
  written.latex(doc);
  const next = new Transform(doc).insert(startOf(doc, 1_500) + 1, schema.text("x")).doc;
  let asked = 0;
  const child = next.child.bind(next);
  next.child = (index) => (asked++, child(index));
  next.forEach = () => assert.fail("every block is gone through");
  const latex = written.latex(next);
  assert.match(latex, /Sentence 1499 [^\n]*\n\nxSentence 1500 /);
  assert.ok(asked < 3_020, `${asked} blocks were looked at`); // only for the comparison with the old document
});
