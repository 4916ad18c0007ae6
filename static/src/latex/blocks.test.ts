import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { outlineOf, split, toDocument, wordsIn, type BlockJSON } from ".";
import { chapters, CORPUS } from "./edits.test-data";

const kinds = (source: string): string[] => split(source).blocks.map(({ kind, source: text }) => `${kind}: ${text}`);
const read = (source: string): BlockJSON => toDocument(source).doc.content[0] as BlockJSON;

test("paragraphs end at an empty line, a heading, a display or an environment", () => {
  assert.deepEqual(
    kinds("One\ntwo.\n\nThree.\n\\section{A}\\label{sec:a} Four \\[x\\] five\n\\begin{x}y\n\nz\\end{x}.\n"),
    [
      "paragraph: One\ntwo.",
      "paragraph: Three.",
      "heading: \\section{A}\\label{sec:a}",
      "paragraph: Four",
      "math: \\[x\\]",
      "paragraph: five",
      "environment: \\begin{x}y\n\nz\\end{x}",
      "paragraph: .",
    ],
  );
});

test("a comment between paragraphs is a block, one inside a paragraph belongs to it", () => {
  assert.deepEqual(kinds("% a\n% b\nText % c\n% d\nmore.\n\n% e\n\nEnd"), [
    "comment: % a\n% b",
    "paragraph: Text % c\n% d\nmore.",
    "comment: % e",
    "paragraph: End",
  ]);
});

test("literal text opens and closes nothing", () => {
  for (const text of [
    "\\begin{verbatim}\n{ \\end{x} $ %\n\\end{verbatim}",
    "\\begin{comment}\n\\begin{itemize} }\n\\end{comment}",
    "\\begin{minted}{r}\nx <- '{'\n\\end{minted}",
    "\\verb|{| and \\lstinline!}! and \\mintinline{r}{f(x)}",
    "\\url{http://a.b/%7Bc#d}",
    "% {\nText",
    "\\newenvironment{a}{\\begin{quote}}{\\end{quote}}",
    "\\{ and \\% }".replace(" }", " \\}"),
    "\\newcommand\\x{\\begin{y}}",
    "\\newcommand{\\y}[1]\n{\\end{y}}",
  ]) {
    assert.deepEqual(toDocument(text).faults, [], text);
  }
});

test("unmatched braces and environments are reported with their lines", () => {
  const said = (source: string): string[] =>
    toDocument(source).faults.map(({ line, message }) => `${line}: ${message}`);
  assert.deepEqual(said("a\r\nb {c\r\n\r\nd"), ["2: This brace { is never closed."]);
  assert.deepEqual(said("a }\n"), ["1: This brace } closes nothing."]);
  assert.deepEqual(said("\n\n\\begin{itemize}\n\\item a\n"), ["3: \\begin{itemize} is never closed."]);
  assert.deepEqual(said("\\end{table}"), ["1: \\end{table} has no \\begin{table} before it."]);
  assert.deepEqual(said("\\begin{a}\n\\begin{b}\n\\end{a}\n{"), [
    "2: \\begin{b} is never closed.",
    "4: This brace { is never closed.",
  ]);
  assert.deepEqual(said("\\begin{verbatim}\n{"), [
    "1: \\begin{verbatim} is never closed.",
    "2: This brace { is never closed.",
  ]);
});

test("blocks have the expected kinds, and are raw when not fully understood", () => {
  const cases: [string, string][] = [
    ["Text \\gls{ards}.", "paragraph"],
    ["\\clearpage", "rawBlock"],
    ["\\chapter*{A}", "heading"],
    ["\\begin{itemize}\\item a\\end{itemize}", "bulletList"],
    ["\\begin{enumerate}\\item[x] a\\end{enumerate}", "rawBlock"],
    ["\\begin{enumerate}\n\\item a\n\n  b\n\\end{enumerate}", "orderedList"],
    ["\\begin{quote}A\n\nB\\end{quote}", "blockquote"],
    ["\\begin{figure}\\includegraphics{a}\\end{figure}", "figure"],
    ["\\begin{figure}\\includegraphics{a}\\includegraphics{b}\\end{figure}", "rawBlock"],
    ["\\begin{tabular}{lr}a & b\\\\\\end{tabular}", "table"],
    ["\\begin{tabular}{lr}\\multicolumn{2}{c}{a}\\\\\\end{tabular}", "table"],
    ["\\begin{tabular}{lr}a\\\\\\end{tabular}", "table"],
    ["\\begin{tabular}{lr}a & b & c\\\\\\end{tabular}", "rawBlock"],
    ["\\begin{tabular}{lr}a \\multicolumn{2}{c}{b}\\\\\\end{tabular}", "rawBlock"],
    ["\\begin{tabular}{lr}a & b % in a row\n\\\\\\end{tabular}", "rawBlock"],
    ["\\begin{center}\\begin{tabular}{l}a\\end{tabular}\\end{center}", "table"],
    ["\\begin{center}a\\end{center}", "rawBlock"],
    ["\\begin{center}\\begin{tabular}{l}a\\end{tabular} Words.\\end{center}", "rawBlock"],
    ["\\begin{align*}a&=b\\end{align*}", "mathBlock"],
    ["$$x$$", "mathBlock"],
    ["% note", "rawBlock"],
    ["\\begin{tikzpicture}\\end{tikzpicture}", "rawBlock"],
  ];
  for (const [source, type] of cases) assert.equal(read(source).type, type, source);
});

test("text shows its special characters, and unknown commands are chips", () => {
  const node = read(
    "A~\\textbf{b\\%} ``c'' \\'e{\\\"o}\\ss{} -- \\ldots\\ \\gls{x}\\cite[p.~2]{k, l}$a$\\footnote{n}\\ref{r}\n%q\nend",
  );
  assert.deepEqual(node.type === "paragraph" && node.content, [
    { type: "text", text: "A\u00A0" },
    { type: "text", text: "b%", marks: [{ type: "bold" }] },
    { type: "text", text: " “c” éöß – … " },
    { type: "raw", attrs: { latex: "\\gls{x}" } },
    {
      type: "cite",
      attrs: { command: "cite", keys: ["k", "l"], pre: null, post: "p.~2", source: "\\cite[p.~2]{k, l}" },
    },
    { type: "maths", attrs: { latex: "a", delimiters: "$" } },
    { type: "footnote", attrs: { latex: "n" } },
    { type: "ref", attrs: { command: "ref", key: "r" } },
    { type: "softBreak", attrs: { source: "\n" } },
    { type: "raw", attrs: { latex: "%q\n" } },
    { type: "text", text: "end" },
  ]);
});

test("the outline lists headings, but not those in comments and verbatim", () => {
  assert.deepEqual(
    outlineOf(
      "\\chapter{A \\emph{b}~c}\n% \\section{no}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n" +
        "\\subsection*{D}\\label{d}",
    ),
    [
      { level: 1, title: "A b c", offset: 0 },
      { level: 3, title: "D", offset: 83 },
    ],
  );
});

test("words are counted as on the server", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["One two-three don't", 3],
    ["\\section{A title} of \\cite[p.~3]{key} \\gls{ards}", 4],
    ["50\\% % not this\nthat", 2],
    ["\\begin{itemize}\\item a", 1],
    ["Müller क्षति", 3],
    ["a_b x²", 3],
  ];
  for (const [source, words] of cases) assert.equal(wordsIn(source), words, source);
});

test("the word counts of every chapter equal the server's", () => {
  const counted = JSON.parse(readFileSync(join(CORPUS, "words.json"), "utf8")) as Record<string, number>;
  assert.deepEqual(Object.fromEntries(chapters().map(([name, source]) => [name, wordsIn(source)])), counted);
});

test("a hundred thousand nested braces are parsed in time and without a stack overflow", () => {
  for (const piece of ["{", "\\begin{a}", "\\textbf{", "\\begin{itemize}\\item ", "\\cite["]) {
    const source = piece.repeat(100_000);
    const begun = process.cpuUsage();
    assert.ok(toDocument(source).doc.content.length > 0);
    assert.ok(process.cpuUsage(begun).user < 4_000_000, piece);
  }
});
