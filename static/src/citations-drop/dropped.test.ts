import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOf, splitFiles, textOf } from "./dropped";

test("one identifier or title is looked for", () => {
  assert.deepEqual(destinationOf(" 10.1000/alder \n"), { kind: "find", text: "10.1000/alder" });
  assert.deepEqual(destinationOf("https://doi.org/10.1000/alder"), {
    kind: "find",
    text: "https://doi.org/10.1000/alder",
  });
  assert.deepEqual(destinationOf("Alder and soil"), { kind: "find", text: "Alder and soil" });
});

test("several lines, an entry and a long text go into the form that adds works", () => {
  assert.equal(destinationOf("10.1000/a\n10.1000/b")?.kind, "add");
  assert.equal(destinationOf("@article{a, title = {Alder}}")?.kind, "add");
  assert.equal(destinationOf('[{"type": "book"}]')?.kind, "add");
  assert.equal(destinationOf("a".repeat(501))?.kind, "add");
});

test("nothing goes nowhere", () => {
  assert.equal(destinationOf(" \n\t"), undefined);
  assert.equal(destinationOf("\0"), undefined);
});

test("a dragged link is its address", () => {
  assert.equal(textOf("# a comment\r\nhttps://doi.org/10.1000/alder\r\n", "Alder"), "https://doi.org/10.1000/alder");
  assert.equal(textOf("", "PMID 12345"), "PMID 12345");
});

test("PDFs are told from other files by type or name", () => {
  const files = [
    { name: "a.PDF", type: "" },
    { name: "b", type: "application/pdf" },
    { name: "c.bib", type: "" },
    { name: "pdf.txt", type: "text/plain" },
  ];
  const { pdfs, others } = splitFiles(files);
  assert.deepEqual(
    [pdfs.map((file) => file.name), others.map((file) => file.name)],
    [
      ["a.PDF", "b"],
      ["c.bib", "pdf.txt"],
    ],
  );
});
