import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { join, split, toDocument, toLatex, type BlockJSON, type DocJSON } from ".";
import { anything } from "./samples.test-data";

const again = (source: string): string => {
  const { doc, tail, newline } = toDocument(source);
  return toLatex(JSON.parse(JSON.stringify(doc)) as DocJSON, tail, newline);
};

test("split and join restore any text", () => {
  fc.assert(
    fc.property(anything, (source) => assert.equal(join(split(source)), source)),
    { numRuns: 1000 },
  );
});

test("parsing and writing restore any text", () => {
  fc.assert(
    fc.property(anything, (source) => assert.equal(again(source), source)),
    { numRuns: 2000 },
  );
});

test("no block is empty or starts with white space, and only white space is between blocks", () => {
  fc.assert(
    fc.property(anything, (source) => {
      for (const block of split(source).blocks) {
        assert.ok(block.source);
        assert.match(block.source, /^[^ \t\r\n]/);
        assert.match(block.before, /^\uFEFF?[ \t\r\n]*$/);
      }
    }),
    { numRuns: 500 },
  );
});

test("a schema without our own attributes changes nothing", () => {
  const bare = (node: BlockJSON): BlockJSON => {
    const { source, before } = node.attrs ?? {};
    const needed =
      node.type === "mathBlock" || node.type === "rawBlock" || node.type === "figure" || node.type === "heading";
    return { ...node, attrs: { ...(needed ? node.attrs : {}), source, before, place: node.attrs?.place } } as BlockJSON;
  };
  fc.assert(
    fc.property(anything, (source) => {
      const { doc, tail, newline } = toDocument(source);
      assert.equal(toLatex({ type: "doc", content: doc.content.map(bare) }, tail, newline), source);
    }),
    { numRuns: 1000 },
  );
});
