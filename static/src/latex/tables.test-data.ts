import fc from "fast-check";

const WORDS = ["Arm", "12 (4\\%)", "", "$p < 0.05$", "\\textbf{all}", "a~b", "क्षति", "مرض", "\\verb|a&b|", "R\\&D"];
const CELL = fc.constantFrom(...WORDS);
const GAP = fc.constantFrom(" & ", "&", "  &\t", "\n  & ");
const END = fc.constantFrom(" \\\\", "\\\\", " \\\\[2pt]", " \\tabularnewline", " \\\\*");
const RULE = fc.constantFrom(
  "\\hline",
  "\\cmidrule(lr){1-2}",
  "\\cline{2-3}",
  "\\addlinespace",
  "\\addlinespace[2pt]",
  "% a comment & more",
  "\\rowcolor{gray!10}",
);

/** A row of three columns: plain cells, joined columns, a cell with several lines or in a minipage, too few cells. */
const ROW = fc
  .tuple(
    fc.constantFrom("plain", "plain", "plain", "joined", "wide", "stacked", "box", "short"),
    CELL,
    CELL,
    CELL,
    GAP,
    END,
  )
  .map(([kind, one, two, three, gap, end]) => {
    if (kind === "joined") return `\\multicolumn{2}{c|}{${one}}${gap}${three}${end}`;
    if (kind === "wide") return `\\multicolumn{3}{l}{ ${one} }${end}`;
    if (kind === "stacked") return `\\makecell[l]{a \\\\ ${one}}${gap}${two}${gap}${three}${end}`;
    if (kind === "box")
      return `\\begin{minipage}[b]{\\linewidth}\\raggedright\n${one}\n\\end{minipage}${gap}${two}${gap}${end}`;
    return kind === "short" ? `${one || "a"}${gap}${two}${end}` : `${one}${gap}${two}${gap}${three}${end}`;
  });

/** Two or three rows under one cell that reaches down. */
const DEEP = fc
  .tuple(fc.integer({ min: 2, max: 3 }), CELL, CELL, fc.constantFrom("\\multirow{N}{*}", "\\multirow[t]{N}{2cm}"))
  .map(([rows, one, two, command]) =>
    [
      `${command.replace("N", String(rows))}{${one}} & ${two} & x \\\\`,
      ...Array.from({ length: rows - 1 }, () => ` & ${two} & y \\\\`),
    ].join("\n"),
  );

const BODY = fc
  .array(fc.oneof({ arbitrary: ROW, weight: 5 }, { arbitrary: RULE, weight: 2 }, { arbitrary: DEEP, weight: 1 }), {
    minLength: 1,
    maxLength: 7,
  })
  .map((lines) => ["a & b & c \\\\", ...lines].join("\n"));
const HEAD = fc.constantFrom(
  "Arm & Deaths & Why \\\\",
  " & \\multicolumn{2}{c}{Deaths} \\\\\n\\cmidrule{2-3}\nArm & n & \\% \\\\",
);
const SPEC = fc.constantFrom(
  "lcr",
  "@{}lr>{\\raggedright\\arraybackslash}p{0.4\\linewidth}@{}",
  "l*{2}{c}",
  "|l|S[table-format=2.1]|r|",
  "lXX",
);
const NOTES = fc.constantFrom(
  "",
  "\n\\par\\smallskip\\footnotesize SD: standard deviation.",
  "\n\\par\\footnotesize\nLost: 5\\%.",
  "\n{\\footnotesize Own data.\\par}",
  "\n\\smallskip\n\\begin{flushleft}\\footnotesize Source: own data.\\end{flushleft}",
  "\nSource: \\cite{a}.",
);

/** A float around a tabular, tabularx or threeparttable. */
const FLOAT = fc
  .tuple(SPEC, HEAD, BODY, NOTES, fc.constantFrom("tabular", "tabularx", "resized", "threeparttable"))
  .map(([spec, head, body, notes, kind]) => {
    const name = kind === "tabularx" ? "tabularx" : "tabular";
    const width = kind === "tabularx" ? "{\\linewidth}" : "";
    const inside = `\\toprule\n${head}\n\\midrule\n${body}\n\\bottomrule`;
    const lines = `\\begin{${name}}${width}{${spec}}\n${inside}\n\\end{${name}}`;
    const named = "\\centering\n\\caption[Short]{Deaths by arm}\n\\label{tab:d}\n";
    if (kind === "resized")
      return `\\begin{table}[h]\n${named}\\resizebox{\\linewidth}{!}{%\n${lines}%\n}${notes}\n\\end{table}`;
    if (kind === "threeparttable")
      return (
        `\\begin{table}\n${named}\\begin{threeparttable}\n${lines}\n\\begin{tablenotes}[para]\n\\small\n` +
        "\\item[a] Lost.\n\\item SD.\n\\end{tablenotes}\n\\end{threeparttable}\n\\end{table}"
      );
    return `\\begin{table}[htbp]\n${named}${lines}${notes}\n\\end{table}`;
  });

const LONG = fc
  .tuple(SPEC, HEAD, BODY, fc.boolean(), fc.boolean())
  .map(([spec, head, body, hasNotes, continues]) =>
    [
      `\\begin{longtable}{${spec}}`,
      "\\caption{Deaths by arm}\\label{tab:d}\\\\",
      `\\toprule\n${head}\n\\midrule\n\\endfirsthead`,
      ...(continues ? ["\\multicolumn{3}{l}{Continued} \\\\"] : []),
      `\\toprule\n${head}\n\\midrule\n\\endhead`,
      "\\bottomrule\n\\endfoot",
      body,
      `\\end{longtable}${hasNotes ? "\n{\\footnotesize SD: standard deviation.\\par}" : ""}`,
    ].join("\n"),
  );

/** Tables as Scholium, pandoc and students write them, all of three columns. */
export const tables = fc.oneof(FLOAT, LONG);
