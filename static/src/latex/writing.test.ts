import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toDocument, toLatex, type BlockJSON, type DocJSON, type InlineJSON } from ".";

const plain = (text: string): InlineJSON[] => (text ? [{ type: "text", text }] : []);
const paragraph = (text: string): BlockJSON => ({
  type: "paragraph",
  attrs: { source: null, before: null, place: null },
  content: plain(text),
});

/** Return `source` after `act` changed its document, which was copied through JSON as in a browser. */
function after(source: string, act: (content: any[]) => void): string {
  const { doc, tail, newline } = toDocument(source);
  const copy = JSON.parse(JSON.stringify(doc)) as DocJSON;
  act(copy.content);
  return toLatex(copy, tail, newline);
}

const shown = (source: string): string =>
  toDocument(source)
    .doc.content.map((node) =>
      ("content" in node ? (node.content ?? []) : []).map((one) => (one.type === "text" ? one.text : " ")).join(""),
    )
    .join("¶");

test("typed text is parsed back as the same text", () => {
  const typed = fc.string({
    unit: fc.constantFrom(..."ab 1%&#_${}~^\\-`'\"[]*<>@,.;:!?/|=+()éßक्षि\u00A0\u202F\u00AD–—“”😀"),
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(typed, (text) => {
      const wanted = text.replace(/^ +| +$/g, "");
      const latex = toLatex({ type: "doc", content: [paragraph(text)] }, "", "\n");
      assert.deepEqual(toDocument(latex).faults, []);
      assert.equal(shown(latex), wanted);
      assert.equal(
        shown(
          after(
            "Before \\ldots\\ and `--' after.",
            ([one]) => (one.content[0].text = one.content[0].text.replace("and", () => text)),
          ),
        ),
        `Before … ${text} ‘–’ after.`,
      );
    }),
    { numRuns: 700 },
  );
});

test("apostrophes and single quotation marks are shown as printed, and stay as they were written", () => {
  const source = "The patient's `own' word, \\texttt{it's}, \\emph{Crohn's}, O\\textquotesingle{}Neil.";
  assert.deepEqual(
    toDocument(source).doc.content.map((node) => ("content" in node ? node.content : [])),
    [
      [
        { type: "text", text: "The patient’s ‘own’ word, " },
        { type: "text", text: "it's", marks: [{ type: "code" }] },
        { type: "text", text: ", " },
        { type: "text", text: "Crohn’s", marks: [{ type: "italic", attrs: { command: "emph" } }] },
        { type: "text", text: ", O'Neil." },
      ],
    ],
  );
  assert.equal(
    after(source, ([one]) => (one.content[0].text = one.content[0].text.replace("word", "“words”"))),
    source.replace("word", "“words”"),
  );
  assert.equal(
    after(source, ([one]) => (one.content[3].marks = [])),
    source.replace("\\emph{Crohn's}", "Crohn's"),
  );
});

test("special characters are escaped, double quotes are not", () => {
  assert.equal(
    toLatex({ type: "doc", content: [paragraph("5% & #1_a $ {b} ~^\\ \"q\" 'r' a--b\u00A0c")] }, "\n"),
    '5\\% \\& \\#1\\_a \\$ \\{b\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} "q" ' +
      "\\textquotesingle{}r\\textquotesingle{} a-{}-b~c\n",
  );
});

test("changing a word changes only that word in the source", () => {
  const source =
    "The first sentence~\\cite{a,b}.\nIt's na\\\"{\\i}ve, -- ``quoted'' \\textbf{bold \\emph{and} more}. % why\n" +
    "The last \\ldots\\ sentence.\n\nNext.\n";
  const change = (old: string, now: string): string =>
    after(source, ([one]) =>
      one.content.forEach((node: InlineJSON) => node.type === "text" && (node.text = node.text.replace(old, now))),
    );
  for (const [old, now] of [
    ["first", "second"],
    ["naïve", "simple"],
    ["bold ", "heavy "],
    ["and", "or"],
    ["last", "very last"],
    ["sentence.", "phrase."],
  ] as const) {
    const written = old === "naïve" ? 'na\\"{\\i}ve' : old;
    assert.equal(change(old, now), source.replace(written, now), old);
  }
});

test("two changes in a paragraph keep the source between them", () => {
  const source = "One two~three\nfour \\'etude -- ``five'' six.";
  assert.equal(
    after(source, ([one]) => {
      one.content[0].text = "1 two\u00A0three";
      one.content[2].text = "four étude – “five” 6.";
    }),
    "1 two~three\nfour \\'etude -- ``five'' 6.",
  );
});

test("marks are opened and closed around their text", () => {
  const bold = [{ type: "bold" as const }];
  const source = "plain \\textbf{bold \\emph{both}} end";
  assert.equal(
    after(source, ([one]) =>
      one.content.splice(1, 1, { type: "text", text: "bo", marks: bold }, { type: "text", text: "ld " }),
    ),
    "plain \\textbf{bo}ld \\textbf{\\emph{both}} end",
  );
  assert.equal(
    after(source, ([one]) =>
      one.content.splice(
        3,
        1,
        { type: "text", text: " " },
        { type: "text", text: "x", marks: [{ type: "italic", attrs: { command: null } }] },
        { type: "cite", attrs: { command: "cite", keys: ["k"], pre: null, post: null }, marks: bold },
      ),
    ),
    "plain \\textbf{bold \\emph{both}} \\emph{x}\\textbf{\\cite{k}}",
  );
});

test("making a whole paragraph bold keeps its source otherwise", () => {
  const source = `${"Caf\\'e -- ``so''~a \\emph{b} c.\n".repeat(30)}End.`;
  const bold = after(source, ([one]) =>
    one.content.forEach((node: any) => {
      node.marks = [...(node.marks ?? []), { type: "bold" }];
    }),
  );
  assert.equal(bold, `\\textbf{${source}}`);
});

test("an inserted, deleted or moved paragraph has its empty line, with the line ending of the text", () => {
  const source = "\r\nOne.\r\n\r\n\r\nTwo\r\nlines.\r\n\r\n% note\r\n\\section{A}\r\nThree.\r\n";
  assert.equal(
    after(source, (all) => all.splice(1, 0, paragraph("New."))),
    source.replace("One.", "One.\r\n\r\nNew."),
  );
  assert.equal(
    after(source, (all) => all.splice(1, 1)),
    source.replace("\r\n\r\n\r\nTwo\r\nlines.", ""),
  );
  assert.equal(
    after(source, (all) => all.splice(0, 1)),
    source.slice(source.indexOf("Two")),
  );
  assert.equal(
    after(source, (all) => all.splice(4, 1)),
    source.replace("\r\nThree.", ""),
  );
  assert.equal(
    after(source, (all) => all.push(all.shift())),
    "Two\r\nlines.\r\n\r\n% note\r\n\\section{A}\r\nThree.\r\n\r\nOne.\r\n",
  );
  assert.equal(
    after(source, (all) => all.splice(4, 0, paragraph("New."), paragraph(""))),
    source.replace("Three.", "\r\nNew.\r\n\r\nThree."),
  );
  assert.equal(
    after("\uFEFFOne.\n", (all) => all.unshift(paragraph("New."))),
    "\uFEFFNew.\n\nOne.\n",
  );
  assert.equal(
    after("", (all) => all.splice(0, 1, paragraph("New."))),
    "New.",
  );
});

test("a block that changes its kind keeps the source of its text", () => {
  assert.equal(
    after("A~b \\'e.\n\nC.", ([one]) => {
      one.type = "heading";
      one.attrs.level = 2;
    }),
    "\\section{A~b \\'e.}\n\nC.",
  );
  assert.equal(
    after("\\section{A~b}\\label{x}\nC.", ([one]) => {
      one.type = "paragraph";
    }),
    "A~b\n\nC.",
  );
  assert.equal(
    after("\\section*[s]{A~b}\n\\label{x}", ([one]) => {
      one.attrs.level = 3;
      one.content[0].text = "A\u00A0c";
    }),
    "\\subsection*[s]{A~c}\n\\label{x}",
  );
  assert.equal(
    after("A~b\n\nc\n", (all) =>
      all.splice(0, 2, {
        type: "bulletList",
        content: all.slice(0, 2).map((one) => ({ type: "listItem", content: [one] })),
      }),
    ),
    "\\begin{itemize}\n  \\item A~b\n  \\item c\n\\end{itemize}\n",
  );
});

test("items of a list change independently", () => {
  const source =
    "\\begin{itemize}[noitemsep]\n\n  \\item One~a\n  \\item  two\n    \\begin{enumerate}\n      \\item deep\n" +
    "    \\end{enumerate}\n\n    more % c\n  \\item three\n\\end{itemize}";
  const item = (text: string): object => ({ type: "listItem", content: [paragraph(text)] });
  assert.equal(
    after(source, ([list]) => (list.content[0].content[0].content[0].text = "One\u00A0b")),
    source.replace("One~a", "One~b"),
  );
  assert.equal(
    after(source, ([list]) => (list.content[1].content[1].content[0].content[0].content[0].text = "deeper")),
    source.replace("deep", "deeper"),
  );
  assert.equal(
    after(source, ([list]) => list.content.splice(2, 0, item("[new]"))),
    source.replace("  \\item three", "  \\item {[}new]\n  \\item three"),
  );
  assert.equal(
    after(source, ([list]) => list.content.splice(2, 1)),
    source.replace("\n  \\item three", ""),
  );
  assert.equal(
    after(source, ([list]) => {
      list.type = "orderedList";
    }),
    source.replace(/^\\begin\{itemize\}/, "\\begin{enumerate}").replace(/\\end\{itemize\}$/, "\\end{enumerate}"),
  );
  assert.equal(
    after("\\begin{itemize}\n\\item a\n\\end{itemize}", ([list]) =>
      list.content[0].content.push({ type: "bulletList", content: [item("b")] }),
    ),
    "\\begin{itemize}\n\\item a\n  \\begin{itemize}\n    \\item b\n  \\end{itemize}\n\\end{itemize}",
  );
});

test("rows and cells of a table change independently", () => {
  const source =
    "\\begin{table}[ht]\n  \\centering\n  \\caption{C}\n  \\begin{tabular}{lr}\n    \\toprule\n    A &  B \\\\\n" +
    "    \\midrule\n    a~1 & 2\\\\[2pt]\n    c   & 3 \\\\ \\bottomrule\n  \\end{tabular}\n\\end{table}";
  const row = (...cells: string[]): object => ({
    type: "tableRow",
    content: cells.map((text) => ({ type: "tableCell", attrs: { colspan: 1 }, content: plain(text) })),
  });
  assert.equal(
    after(source, ([table]) => (table.content[1].content[1].content[0].text = "2%")),
    source.replace("& 2\\\\", "& 2\\%\\\\"),
  );
  assert.equal(
    after(source, ([table]) => (table.content[2].content[0] = { type: "tableCell", content: [paragraph("d")] })),
    source.replace("c   &", "d   &"),
  );
  assert.equal(
    after(source, ([table]) => table.content.splice(2, 0, row("x", "[y]"))),
    source.replace("\\\\[2pt]", "\\\\[2pt]\n    x & [y] \\\\"),
  );
  assert.equal(
    after(source, ([table]) => table.content.splice(1, 1)),
    source.replace("\n    a~1 & 2\\\\[2pt]", ""),
  );
  assert.equal(
    after(source, ([table]) => {
      table.attrs.caption = "D";
      table.attrs.label = "tab:d";
    }),
    source.replace("{C}", "{D}").replace("\\begin{tabular}", "\\label{tab:d}\n  \\begin{tabular}"),
  );
  const wide = after(source, ([table]) =>
    table.content.forEach((one: any) => one.content.push({ type: "tableCell", content: plain("z") })),
  );
  assert.equal(
    wide,
    source
      .replace("{lr}", "{lrl}")
      .replace("A &  B", "A & B & z")
      .replace("a~1 & 2", "a~1 & 2 & z")
      .replace("c   & 3", "c & 3 & z"),
  );
  const made = toLatex(
    {
      type: "doc",
      content: [
        {
          type: "table",
          attrs: { caption: "N" },
          content: [{ type: "tableRow", content: [{ type: "tableHeader", content: plain("h") }] }, row("*")],
        } as BlockJSON,
      ],
    },
    "",
  );
  assert.equal(
    made,
    "\\begin{table}[htbp]\n  \\centering\n  \\caption{N}\n  \\begin{tabular}{l}\n    \\toprule\n    h \\\\\n" +
      "    \\midrule\n    {*} \\\\\n    \\bottomrule\n  \\end{tabular}\n\\end{table}",
  );
  assert.equal(toDocument(made).doc.content[0]?.type, "table");
});

test("parts of a figure change independently", () => {
  const source =
    "\\begin{figure}[tb]\n  \\centering\n  \\includegraphics[width=3cm]{a.pdf}\n  \\caption{A~b \\cite{k}}\n" +
    "  \\label{fig:a}\n\\end{figure}";
  assert.equal(
    after(source, ([one]) => (one.content[0].text = "A\u00A0c ")),
    source.replace("A~b", "A~c"),
  );
  assert.equal(
    after(source, ([one]) => {
      one.attrs.path = "b.pdf";
      one.attrs.options = null;
      one.attrs.label = null;
      one.attrs.placement = "p";
    }),
    "\\begin{figure}[p]\n  \\centering\n  \\includegraphics{b.pdf}\n  \\caption{A~b \\cite{k}}\n\\end{figure}",
  );
  const made = toLatex(
    {
      type: "doc",
      content: [
        {
          type: "figure",
          attrs: { path: "x.png", options: "width=0.8\\textwidth", label: "fig:x" },
          content: plain("50% more"),
        },
      ],
    },
    "\n",
  );
  assert.equal(
    made,
    "\\begin{figure}[htbp]\n  \\centering\n  \\includegraphics[width=0.8\\textwidth]{x.png}\n" +
      "  \\caption{50\\% more}\n  \\label{fig:x}\n\\end{figure}\n",
  );
});

test("formulas, quotations and raw blocks", () => {
  assert.equal(
    after("\\begin{align}\n  a &= b\n\\end{align}", ([one]) => (one.attrs.latex = "a &= c")),
    "\\begin{align}\n  a &= c\n\\end{align}",
  );
  assert.equal(
    after("\\[x\\]", ([one]) => (one.attrs.env = "equation")),
    "\\begin{equation}\nx\n\\end{equation}",
  );
  assert.equal(
    after("\\begin{quote}\n  A~b\n\n  C\n\\end{quote}", ([one]) => (one.content[1].content[0].text = "D")),
    "\\begin{quote}\n  A~b\n\n  D\n\\end{quote}",
  );
  assert.equal(
    after("% note\nText", ([one]) => (one.attrs.latex = "% other")),
    "% other\nText",
  );
  assert.equal(
    after("A $x$ \\cite[p.~1]{a} \\footnote{f} b", ([one]) => {
      one.content[1].attrs.latex = "y";
      one.content[3].attrs.keys = ["a", "b"];
      one.content[5].attrs.latex = "g";
    }),
    "A $y$ \\cite[p.~1]{a,b} \\footnote{g} b",
  );
});

test("a formula, footnote or reference without anything in it is not written, but stays where it was", () => {
  const empty = [
    { type: "maths", attrs: { latex: "", delimiters: "$" } },
    { type: "footnote", attrs: { latex: "" } },
    { type: "ref", attrs: { command: "Cref", key: "" } },
  ];
  for (const atom of empty) {
    const added = after("As in [1] here.", ([one]) => {
      one.content = [{ type: "text", text: "As in " }, atom, { type: "text", text: "[1] here." }];
    });
    assert.equal(added, "As in [1] here.");
  }
  const kept = String.raw`As\ref{} in\footnote{} one.`;
  assert.equal(
    after(kept, ([one]) => one.content.push({ type: "text", text: " More." })),
    `${kept} More.`,
  );
});
