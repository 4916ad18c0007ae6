import assert from "node:assert/strict";
import { test } from "node:test";
import { getSchema } from "@tiptap/core";
import fc from "fast-check";
import { toDocument, toLatex, type DocJSON } from ".";
import { Cite } from "../citation-chips/cite-node";
import { blocks } from "../editor/blocks";
import { atoms } from "../editor/inline-chips";
import { marks } from "../editor/marks";
import { table } from "../editor/table";
import { blockKey } from "./block-keys";
import { alignments, columnsIn, fitColumns, withColumn, withoutColumn } from "./column-spec";
import { countChanged } from "./edits.test-data";
import { tables } from "./tables.test-data";

const schema = getSchema([...blocks, ...atoms, ...marks, ...table, Cite]);

/** Return the only block of a source, copied through the editor's schema as in a browser. */
function blockOf(source: string): any {
  const { doc } = toDocument(source);
  assert.equal(doc.content.length, 1, source);
  assert.equal(doc.content[0]!.type, "table", source);
  const node = schema.nodeFromJSON(doc);
  node.check();
  return (node.toJSON() as any).content[0];
}

const written = (block: any): string => toLatex({ type: "doc", content: [block] } as DocJSON, "");
const cellsOf = (block: any): any[] => block.content.flatMap((row: any) => row.content);

test("tables of many makes are shown as tables and written back exactly", () => {
  fc.assert(
    fc.property(tables, (source) => {
      assert.equal(written(blockOf(source)), source);
      const crlf = source.replace(/\n/g, "\r\n");
      assert.equal(written(blockOf(crlf)), crlf);
    }),
    { numRuns: 500 },
  );
});

test("words changed in a cell change only that cell, and are read back as they were typed", () => {
  fc.assert(
    fc.property(tables, fc.nat(), fc.constantFrom("x & y", "50%", "[1]", "new", "*"), (source, place, words) => {
      const block = blockOf(source);
      const cells = cellsOf(block);
      cells[place % cells.length].content = [{ type: "text", text: words }];
      const latex = written(block);
      const again = blockOf(latex);
      assert.deepEqual(again.content.map(texts), block.content.map(texts), latex);
      const repeats = source.includes("longtable") ? 500 : 0; // the repeated head changes with the head
      assert.ok(countChanged(source, latex) < 120 + repeats, latex);
    }),
    { numRuns: 500 },
  );
});

const texts = (row: any): string[] =>
  row.content.map((cell: any) =>
    (cell.content ?? [])
      .map((one: any) => one.text ?? JSON.stringify(one.attrs?.latex ?? one.type))
      .join("")
      .trim(),
  );

test("rows and columns come and go, and what is written is read back as it is", () => {
  fc.assert(
    fc.property(tables, fc.nat(), fc.constantFrom("row", "gone", "column"), (source, place, act) => {
      const block = blockOf(source);
      const rows = block.content;
      const plain = rows.flatMap((row: any, at: number) => (row.content.length === 3 ? [at] : []));
      const isDeep = cellsOf(block).some((cell) => cell.attrs.rowspan > 1);
      const at = plain[place % plain.length];
      const cell = (type: string): any => ({ type, content: [{ type: "text", text: "n" }] });
      if (act === "row" && !isDeep)
        rows.splice(at + 1, 0, { type: "tableRow", content: [0, 1, 2].map(() => cell(rows[at].content[0].type)) });
      else if (act === "gone" && !isDeep && rows.length > 2) rows.splice(at, 1);
      else if (act === "column") {
        for (const row of rows) row.content.push(cell(row.content[0].type));
        block.attrs.colspec = withColumn(block.attrs.colspec, 3);
      }
      const latex = written(block);
      assert.deepEqual(blockOf(latex).content.map(texts), rows.map(texts), latex);
    }),
    { numRuns: 500 },
  );
});

test("a table written without its source keeps what it shows", () => {
  fc.assert(
    fc.property(tables, (source) => {
      const block = blockOf(source);
      block.attrs = { ...block.attrs, source: null, before: null, place: null, placement: "htbp" };
      const latex = written(block);
      const again = blockOf(latex);
      assert.deepEqual(again.content.map(texts), block.content.map(texts), latex);
      assert.equal(again.attrs.notes, block.attrs.notes);
      assert.equal(again.attrs.env, block.attrs.env);
      assert.equal(blockKey({ ...again, content: [] }), blockKey({ ...block, content: [] }));
    }),
    { numRuns: 300 },
  );
});

const LONG = `\\begin{longtable}{lc}
\\caption{Deaths}\\label{tab:d}\\\\
\\toprule
Arm & Deaths \\\\
\\midrule
\\endfirsthead
\\multicolumn{2}{l}{Continued} \\\\
\\toprule
Arm & Deaths \\\\
\\midrule
\\endhead
\\bottomrule
\\endfoot
a & 1 \\\\
b & 2 \\\\
\\end{longtable}
{\\footnotesize SD: standard deviation.\\par}`;

test("a new label follows its caption, wherever that is: before it, it would name the section", () => {
  const rows = "\\begin{tabular}{l}\nA \\\\\n\\end{tabular}";
  const cases: [string, object, string][] = [
    [`${rows}\n\\caption{Deaths}`, { label: "t" }, `${rows}\n\\caption{Deaths}\n\\label{t}`],
    [`\\caption{Deaths}\n${rows}`, { label: "t" }, `\\caption{Deaths}\n\\label{t}\n${rows}`],
    [`\\label{t}\n${rows}`, { caption: "Deaths" }, `\\caption{Deaths}\n  \\label{t}\n${rows}`],
  ];
  for (const [before, attrs, after] of cases) {
    const block = blockOf(`\\begin{table}\n${before}\n\\end{table}`);
    assert.equal(written({ ...block, attrs: { ...block.attrs, ...attrs } }), `\\begin{table}\n${after}\n\\end{table}`);
  }
});

test("the head of a longtable is shown once, and its repetition follows it", () => {
  const block = blockOf(LONG);
  assert.deepEqual(block.content.map(texts), [
    ["Arm", "Deaths"],
    ["a", "1"],
    ["b", "2"],
  ]);
  assert.equal(block.attrs.caption, "Deaths");
  assert.equal(block.attrs.notes, "SD: standard deviation.");
  block.content[0].content[1].content[0].text = "Dead";
  assert.equal(written(block), LONG.replaceAll("Arm & Deaths", "Arm & Dead"));
});

test("the caption, label and notes of a longtable are changed, removed and added in their places", () => {
  const changed = (attrs: object): string => {
    const block = blockOf(LONG);
    return written({ ...block, attrs: { ...block.attrs, ...attrs } });
  };
  assert.equal(changed({ caption: "New" }), LONG.replace("{Deaths}\\label", "{New}\\label"));
  assert.equal(changed({ label: null }), LONG.replace("\\label{tab:d}", ""));
  assert.equal(changed({ caption: null, label: null }), LONG.replace("\n\\caption{Deaths}\\label{tab:d}\\\\", ""));
  assert.equal(changed({ notes: "None." }), LONG.replace("SD: standard deviation.", "None."));
  const without = changed({ notes: null });
  assert.ok(without.endsWith("\\end{longtable}"));
  const block = blockOf(without);
  assert.equal(written({ ...block, attrs: { ...block.attrs, notes: "SD: standard deviation." } }), LONG);
});

test("a column more widens the repeated head and the rules of a longtable", () => {
  const block = blockOf(LONG.replace("Arm & Deaths \\\\\n", "Arm & Deaths \\\\\n\\cmidrule{2-2}\n"));
  for (const row of block.content) row.content.splice(1, 0, { type: row.content[0].type, content: [] });
  block.attrs.colspec = withColumn("lc", 1);
  const latex = written(block);
  assert.match(latex, /\\begin\{longtable\}\{llc\}/);
  assert.match(latex, /\\multicolumn\{3\}\{l\}\{Continued\}/);
  assert.match(latex, /\\cmidrule\{3-3\}/);
  assert.equal(latex.match(/Arm &\s+& Deaths \\\\/g)?.length, 2);
});

test("a cell over rows and columns is shown as one and written back", () => {
  const source =
    "\\begin{tabular}{lll}\n\\multirow{2}{*}{Arm} & \\multicolumn{2}{c}{Deaths} \\\\\n\\cmidrule(lr){2-3}\n" +
    " & n & \\% \\\\\n\\midrule\na & 1 & 2 \\\\\n\\end{tabular}";
  const block = blockOf(source);
  const [arm, deaths] = block.content[0].content;
  assert.deepEqual([arm.attrs.rowspan, deaths.attrs.colspan, deaths.attrs.spec], [2, 2, "c"]);
  assert.equal(block.content[1].content.length, 2);
  arm.content[0].text = "Drug";
  assert.equal(written(block), source.replace("{Arm}", "{Drug}"));
});

test("column specifications are read, widened and narrowed", () => {
  assert.equal(
    columnsIn("@{}l *{2}{c|} >{\\raggedright\\arraybackslash}p{(\\linewidth - 2\\tabcolsep) * \\real{0.5}}@{}"),
    4,
  );
  assert.deepEqual(alignments("l|c>{\\centering\\arraybackslash}p{2cm}S[table-format=1.2]"), ["l", "c", "c", "r"]);
  assert.equal(fitColumns("@{}lc@{}", 3), "@{}lcl@{}");
  assert.equal(fitColumns("l*{2}{c}", 2), "lc");
  assert.equal(withColumn("@{}lc@{}", 0), "@{}llc@{}");
  assert.equal(withoutColumn("@{}l>{\\bfseries}cr@{}", 1), "@{}lr@{}");
  for (const spec of ["", "*{9999}{l}", "l{", ">{", "l1"]) assert.equal(columnsIn(spec), 0, spec);
});
