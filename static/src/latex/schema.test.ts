import { getSchema } from "@tiptap/core";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Cite } from "../citation-chips/cite-node";
import { atoms } from "../editor/inline-chips";
import { blocks } from "../editor/blocks";
import { Figure } from "../editor/figure";
import { marks } from "../editor/marks";
import { MathBlock, RawBlock } from "../editor/raw-block";
import { table } from "../editor/table";
import { toDocument, toLatex, type DocJSON } from ".";
import { chapters } from "./edits.test-data";
import { latexLike } from "./samples.test-data";

const schema = getSchema([...blocks, ...atoms, ...marks, ...table, Figure, RawBlock, MathBlock, Cite]);

/** Return the text after passing it through a document of the editor. */
function through(source: string): string {
  const { doc, tail, newline } = toDocument(source);
  const node = schema.nodeFromJSON(doc);
  node.check();
  return toLatex(node.toJSON() as DocJSON, tail, newline);
}

test("every document fits the editor's schema and passes through it unchanged", () => {
  for (const [name, source] of chapters()) assert.equal(through(source), source, name);
  fc.assert(
    fc.property(latexLike, (source) => assert.equal(through(source), source)),
    { numRuns: 1000 },
  );
});
