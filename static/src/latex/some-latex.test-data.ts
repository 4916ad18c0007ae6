import fc from "fast-check";

const PIECES = [
  "\\", "{", "}", "[", "]", "%", "$", "$$", "\\[", "\\]", "\\(", "\\)", "&", "#", "_", "^", "~", "-", "--", "---", "`", "``", "'", "''", "\"", "*", "<", "@",
  " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\r\r", "\n \n", "\f", "\u0000", "\u0007", "\uFEFF", "\u00A0", "\u2028", "\uD800", "é", "e\u0301", "ß", "क्षति", "مرض", "😀",
  "word", "The trial", "a", "1", "\\%", "\\&", "\\ ", "\\,", "\\\\", "\\\\[2pt]", "\\\\*", "\\-", "\\'e", "\\'{e}", "{\\\"o}", "\\\"{\\i}", "\\v{s}", "\\c c", "\\ss", "\\ss{}",
  "\\ldots", "\\ldots ", "\\LaTeX", "\\LaTeX{}", "\\gls{ards}", "\\foo[a]{b}", "\\foo", "\\cite{a,b}", "\\citep[see][p.~4]{a}", "\\cite", "\\ref{a}", "\\label{sec:x}", "\\footnote{a b}",
  "\\url{http://a.b/c%20d#e}", "\\href{http://x}{y}", "\\verb|a{b%|", "\\verb", "\\textbf{", "\\emph{", "\\textit{a}", "\\texttt{", "\\textbf{a \\emph{b} c}", "$x^2$", "\\item", "\\item ", "\\item[a]",
  "\\begin{itemize}", "\\end{itemize}", "\\begin{enumerate}", "\\end{enumerate}", "\\begin{itemize}\n\\item one\n\\item two\n\\end{itemize}", "\\begin{quote}", "\\end{quote}",
  "\\begin{verbatim}", "\\end{verbatim}", "\\begin{comment}", "\\end{comment}", "\\begin{equation}", "\\end{equation}", "\\begin{figure}", "\\end{figure}", "\\centering", "\\includegraphics{a}",
  "\\caption{", "\\begin{table}", "\\end{table}", "\\begin{tabular}{ll}", "\\end{tabular}", "\\toprule", "\\midrule", "\\hline", "\\section{", "\\section{A}", "\\chapter*[s]{B}", "\\paragraph{",
  "% comment\n", "%", "\\begin{x}", "\\end{x}", "\\newcommand{\\x}[1]{\\begin{y}}", "\\def\\x#1{", "\\begin{minted}{python}", "\\end{minted}", "\\url{", "\\begin{", "\\end{",
];

/** Text made of what LaTeX is made of, in any order: mostly broken. */
export const latexLike = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((parts) => parts.join(""));

/** Any string at all. */
export const anything = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.string({ maxLength: 80 }), latexLike);
