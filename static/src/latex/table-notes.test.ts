import assert from "node:assert/strict";
import { test } from "node:test";
import { toDocument, toLatex, type DocJSON } from ".";
import { areNotes } from "./table-notes";

/** Return `source` after `act` changed its document, which was copied through JSON as in a browser. */
function after(source: string, act: (content: any[]) => void): string {
  const { doc, tail, newline } = toDocument(source);
  const copy = JSON.parse(JSON.stringify(doc)) as DocJSON;
  act(copy.content);
  return toLatex(copy, tail, newline);
}

const WITH_NOTES =
  "\\begin{table}[htbp]\n\\centering\n\\caption{Deaths}\n\\label{tab:d}\n" +
  "\\begin{tabular}{l>{\\raggedright\\arraybackslash}p{0.40\\linewidth}}\n\\toprule\nArm & Why \\\\\n" +
  "\\midrule\na & b \\\\\n" +
  "\\bottomrule\n\\end{tabular}\n\\par\\smallskip\\footnotesize SD: standard deviation. 5\\% were lost.\n\\end{table}";

test("the notes under a table belong to it", () => {
  const [table] = toDocument(WITH_NOTES).doc.content as any[];
  assert.equal(table.type, "table");
  assert.equal(table.attrs.notes, "SD: standard deviation. 5\\% were lost.");
  assert.equal(
    after(WITH_NOTES, ([one]) => (one.content[1].content[1].content[0].text = "c")),
    WITH_NOTES.replace("a & b", "a & c"),
  );
  assert.equal(
    after(WITH_NOTES, ([one]) => (one.attrs.notes = "None.")),
    WITH_NOTES.replace("SD: standard deviation. 5\\% were lost.", "None."),
  );
  const without = WITH_NOTES.replace("\n\\par\\smallskip\\footnotesize SD: standard deviation. 5\\% were lost.", "");
  assert.equal(
    after(WITH_NOTES, ([one]) => (one.attrs.notes = null)),
    without,
  );
  assert.match(
    after(without, ([one]) => (one.attrs.notes = "Added.")),
    /\\end\{tabular\}\n {2}\\par\\smallskip\\footnotesize Added\.\n\\end\{table\}$/,
  );
});

test("notes that hold more than a paragraph of words leave the table as source", () => {
  for (const more of ["One.\n\nTwo.", "One.\\label{x}", "\\begin{itemize}\\item x\\end{itemize}", "a % b"])
    assert.equal(
      (toDocument(WITH_NOTES.replace("SD: standard deviation.", more)).doc.content[0] as any).type,
      "rawBlock",
    );
});

test("notes come and go without what stands between them and the tabular", () => {
  const below =
    "\\begin{table}[htbp]\n  \\begin{tabular}{ll}\n  a & b \\\\\n  \\end{tabular}\n" +
    "  \\caption{My caption}\n  \\label{tab:x}\n" +
    "  \\par\\footnotesize Old notes.\n\\end{table}";
  const without = below.replace("\n  \\par\\footnotesize Old notes.", "");
  assert.equal(
    after(below, ([one]) => (one.attrs.notes = null)),
    without,
  );
  assert.equal(
    after(below, ([one]) => {
      one.attrs.notes = null;
      one.attrs.caption = "Other";
    }),
    without.replace("My caption", "Other"),
  );
  const added = after(without, ([one]) => (one.attrs.notes = "New."));
  assert.equal(added, without.replace("{tab:x}", "{tab:x}\n  \\par\\smallskip\\footnotesize New."));
  assert.equal((toDocument(added).doc.content[0] as any).attrs.notes, "New.");
});

test("words that would break a table are no notes", () => {
  for (const text of ["a } b", "a { b", "ends in \\", "\\begin{center}x\\end{center}", "one\n\ntwo", "5% of", " "])
    assert.equal(areNotes(text), false, text);
  for (const text of ["5\\% of \\emph{all}.", "One \\\\ two", "$p < 0.05$; \\textsuperscript{a} lost"])
    assert.equal(areNotes(text), true, text);
});
