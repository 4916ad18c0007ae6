"""Drafts of quoted sentences (LaTeX with \\cite), and short answers from passages (SPEC T3, R17)."""

import re
from itertools import groupby

from pylatexenc.latexencode import UnicodeToLatexEncoder

from llm.offline.question import read_question
from llm.offline.ranking import chosen, scored
from llm.offline.relevance import candidates
from llm.roles import Answer, AssistAsked, DraftAsked, Quoted, SectionLatex
from text.sentences import table_rows

ANSWERS = 5
NOTHING = "Nothing in the passages at hand answers this."
_BOLD = re.compile(r"\*\*|__|`")
_ENCODER = UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False)


def draft(asked: DraftAsked) -> SectionLatex:
    """Return the findings' sentences as LaTeX, each with its \\cite, one paragraph per run of the same source."""
    paragraphs = [
        " ".join(_with_cite(finding.content, finding.cite_key) for finding in group)
        for _, group in groupby(asked.findings, key=lambda finding: finding.cite_key)
    ]
    return SectionLatex(
        latex="\n\n".join(paragraphs), cite_keys=list(dict.fromkeys(finding.cite_key for finding in asked.findings))
    )


def _with_cite(content: str, key: str) -> str:
    rows = table_rows(content) if "\n" in content and "|" in content else []
    text = latex("; ".join(", ".join(map(str.strip, row.split("|"))) for row in rows) or content)
    ending = text[-1:] if text[-1:] in ".!" else ""
    return f"{text.removesuffix(ending)}~\\cite{{{key}}}{ending or '.'}"


def latex(text: str) -> str:
    """Return plain text as LaTeX: special characters escaped, Markdown emphasis removed, white space collapsed."""
    return str(_ENCODER.unicode_to_latex(_BOLD.sub("", " ".join(text.split()))))


def assist(asked: AssistAsked) -> Answer:
    """Return up to five sentences that answer the question, verbatim, best first; or a note that nothing was found."""
    question = read_question(asked.question)
    found = candidates(question, asked.passages)
    kept = chosen(found, scored(question, found), ANSWERS)
    quoted = [Quoted(text=found[i].sentence.words, source_id=found[i].passage.source_id) for i in kept]
    return Answer(sentences=quoted, note="" if quoted else NOTHING)
