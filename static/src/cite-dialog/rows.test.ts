import assert from "node:assert/strict";
import { test } from "node:test";
import { questionOf } from "./warnings";
import {
  withCatalogueData,
  describeNotices,
  catalogueQueryFor,
  rowOfReference,
  rowOfEntry,
  rowOfWork,
  deduplicate,
  type Notice,
  type RecognisedEntry,
} from "./rows";
import { cited, work } from "./works.test-data";

const RETRACTION: Notice = {
  type: "retraction",
  doi: "10.1/ret",
  pmid: "",
  source: "retraction-watch",
  year: 2020,
  note: "",
};
const pick = (kind: string, value: string): RecognisedEntry => ({
  kind,
  value,
  title: "",
  authors: "",
  year: null,
  citation: null,
});

test("a row of the library says how often the work is cited", () => {
  const note = (times: number) => rowOfReference({ ...cited(), times }).notes[0];
  assert.equal(note(0), "In your library as `okafor2019`");
  assert.equal(note(1), "Already cited as `okafor2019`, once");
  assert.equal(note(2), "Already cited as `okafor2019`, twice");
  assert.equal(note(6), "Already cited as `okafor2019`, 6 times");
  assert.equal(rowOfReference(cited()).short, "Okafor 2019");
});

test("a found work that the thesis has becomes the row of the reference", () => {
  assert.equal(rowOfWork({ ...work(), citation: cited() }).key, "okafor2019");
  assert.deepEqual(rowOfWork(work()).add, { doi: "10.5555/alder.2019.7" });
  assert.deepEqual(rowOfWork({ ...work(), doi: "", pmid: "321" }).add, { pmid: "321" });
});

test("a pasted entry is added as its type", () => {
  assert.deepEqual(rowOfEntry(pick("doi", "10.1/a")).add, { doi: "10.1/a" });
  assert.deepEqual(rowOfEntry(pick("pmid", "321")).add, { pmid: "321" });
  assert.deepEqual(rowOfEntry(pick("isbn", "9780306406157")).add, { text: "9780306406157" });
  const entry = rowOfEntry({
    ...pick("bibtex", "@misc{a, title={Alder}}"),
    title: "Alder",
    authors: "Lund",
    year: 2020,
  });
  assert.deepEqual([entry.title, entry.short, entry.add], ["Alder", "Lund 2020", { text: "@misc{a, title={Alder}}" }]);
  assert.equal(rowOfEntry({ ...pick("doi", "10.1/a"), citation: cited() }).key, "okafor2019");
});

test("a pasted identifier keeps its id and its addition when the catalogue's data arrive", () => {
  const row = rowOfEntry(pick("pmid", "321"));
  const told = withCatalogueData(row, { ...work(), pmid: "321" });
  assert.deepEqual([told.id, told.add, told.title], [row.id, { pmid: "321" }, "Shade and alder growth"]);
  assert.equal(withCatalogueData(row, { ...work(), title: "" }).title, "321");
  assert.deepEqual(withCatalogueData(row, { ...work(), citation: cited() }).add, null);
  assert.deepEqual(catalogueQueryFor(pick("doi", "10.1/a")), { source: "crossref", q: "10.1/a" });
  assert.deepEqual(catalogueQueryFor(pick("pmcid", "PMC1")), { source: "pubmed", q: "PMC1" });
  assert.equal(catalogueQueryFor(pick("isbn", "9780306406157")), null);
  assert.equal(catalogueQueryFor({ ...pick("doi", "10.1/a"), citation: cited() }), null);
});

test("no work is listed twice, whatever identifies it", () => {
  const shown = [rowOfReference(cited())];
  const twins = [
    { ...work(), pmid: "9" }, // the same DOI
    { ...work(), doi: "", pmid: "8", title: "Shade, and ALDER growth." }, // the same title, year and first author
  ];
  assert.deepEqual(deduplicate(twins.map(rowOfWork), shown), []);
  const others = [
    { ...work(), doi: "10.5555/other", year: 2020 },
    { ...work(), doi: "10.5555/third", authors: "Moss" },
    { ...work(), doi: "10.5555/fourth", title: "Shade and alder growth II" },
  ];
  assert.equal(deduplicate(others.map(rowOfWork), shown).length, 3);
  assert.equal(deduplicate([...others, ...others].map(rowOfWork), shown).length, 3);
});

test("a retraction is shown in the row and in the question, with its source and year", () => {
  const row = rowOfWork({ ...work(), retracted: true, notices: [RETRACTION] });
  assert.equal(row.badge.words, "Retracted");
  assert.match(row.notes[0] ?? "", /^Retracted in 2020\. Citing it asks you to confirm/);
  const asked = questionOf(row);
  assert.equal(asked?.title, "This work was retracted");
  assert.ok(asked?.words.includes("Retraction, reported by Retraction Watch, 2020. Notice: 10.1/ret"));
  assert.equal(asked?.choices[0]?.answer, "leave");
  assert.ok(questionOf({ ...row, notices: [] })?.words.some((words) => words.includes("no notice is given")));
});

test("notices that are not warnings are not listed", () => {
  const erratum = { ...RETRACTION, type: "erratum" };
  const concern = { ...RETRACTION, type: "expression_of_concern", source: "publisher", doi: "", pmid: "7", year: null };
  assert.deepEqual(describeNotices([erratum, concern]), [
    "Expression of concern, reported by the publisher. Notice: PMID 7",
  ]);
  assert.deepEqual(rowOfWork({ ...work(), notices: [concern] }).notes, [
    "An expression of concern was published about it.",
  ]);
});

test("a conflict shows its differences before anything is inserted", () => {
  const differences = [{ label: "Title", claimed: "Alder", found: "Beetles" }];
  const row = rowOfReference({ ...cited(), status: "conflict", reason: "The DOI leads to “Beetles”.", differences });
  assert.match(row.notes[1] ?? "", /^The DOI leads to “Beetles”\. Press Enter to compare/);
  assert.deepEqual(questionOf(row)?.differences, differences);
});

test("a preprint offers its published version, but never itself", () => {
  const row = rowOfWork({ ...work(), preprint: true, published_doi: "10.5555/final.1", published_key: "final2020" });
  assert.match(row.notes[0] ?? "", /published as 10\.5555\/final\.1, which you have as `final2020`/);
  assert.deepEqual(
    questionOf(row)?.choices.map((choice) => choice.answer),
    ["published", "cite", "leave"],
  );
  assert.equal(questionOf(rowOfWork({ ...work(), published_doi: "10.5555/ALDER.2019.7" })), null);
  assert.equal(questionOf(rowOfWork(work())), null);
});
