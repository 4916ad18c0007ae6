"""SPEC T2: words are found as a reader sees them, and replaced without touching anything else."""

import re
import unicodedata
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.find_words import Replaced, Search, as_typed, find_words, replace_words
from latex.shown_text import OBJECT, shown_text
from latex.text_edits import Edit, apply_edits

MOST = 10_000


def found(latex: str, words: str, **options: bool) -> list[str]:
    """The source of each match."""
    return [latex[one.start : one.end] for one in find_words(latex, Search(words, **options), MOST)]


def replaced(latex: str, words: str, new: str, **options: bool) -> Replaced:
    return replace_words(latex, Search(words, **options), new, None, MOST)


@pytest.mark.parametrize(
    ("latex", "words", "sources"),
    [
        (r"A 95\% CI and 95\,\% and 95~\%", "95%", [r"95\%"]),
        (r"A 95\% CI and 95\,\% and 95~\%", "95 %", [r"95\,\%", r"95~\%"]),
        (r"\textbf{hyper}tension", "hypertension", [r"hyper}tension"]),
        (r"hyper\-tension", "hypertension", [r"hyper\-tension"]),
        ("blood\n  pressure", "blood pressure", ["blood\n  pressure"]),
        ("blood\n\npressure", "blood pressure", []),
        (r"caf\'e cafe\'{e} café cafe" + "\u0301", "café", [r"caf\'e", "café", "cafe\u0301"]),
        ("cafe\u0301", "cafe", []),
        ("``Quote'' and \"quote\"", '"quote"', ["``Quote''", '"quote"']),
        ("patient’s and patient's", "patient's", ["patient’s", "patient's"]),
        (r"2010--2015", "2010--2015", ["2010--2015"]),
        (r"2010--2015", "2010–2015", ["2010--2015"]),
        ("रक्तचाप कि क", "क", ["क"]),
        ("a.b axb", "a.b", ["a.b"]),
        (r"\footnote{Flow.} \href{flow.org/flow}{Flow}", "flow", ["Flow", "Flow"]),
        (r"\section[Flow]{The flow}", "flow", ["Flow", "flow"]),
        (r"\begin{tabular}{ll} ll & l l \\[2ll] ll \end{tabular}", "ll", ["ll", "ll"]),
        (r"\includegraphics[width=5cm]{flow} \input{flow} \label{flow} \ref{flow}", "flow", []),
        (r"\citep[see flow][p. flow]{flow} $flow$ \(flow\) \[flow\] % flow", "flow", []),
        (r"\begin{equation}flow\end{equation}\verb|flow|\begin{verbatim}flow\end{verbatim}", "flow", []),
        ("Text\n\n@article{flow,\n  title = {Flow},\n}\n", "flow", []),
        (r"\SI{5}{flow} \gls{flow} \textcolor{flow}{Flow}", "flow", ["Flow"]),
        (r"\flow flow", "flow", ["flow"]),
        ("", "flow", []),
        ("flow", "", []),
        ("flow", OBJECT, []),
        ("aaaa", "aa", ["aa", "aa"]),
    ],
)
def test_words_are_found_as_they_are_read(latex: str, words: str, sources: list[str]) -> None:
    assert found(latex, words) == sources


def test_case_whole_words_and_the_source() -> None:
    text = r"Flow flow overflow flow_x \cite{flow}"
    assert len(found(text, "flow")) == 4
    assert found(text, "flow", match_case=True) == ["flow", "flow", "flow"]
    assert len(found(text, "flow", whole_words=True)) == 3
    assert len(found(text, "flow", in_source=True)) == 5
    assert found(r"Flow \flow", r"\flow", in_source=True) == [r"\flow"]
    assert found("मधुमेह मधुमेही", "मधुमेह", whole_words=True) == ["मधुमेह"]


def test_a_match_is_shown_with_the_words_around_it() -> None:
    [one] = find_words("Before.\n\nThe \\emph{blood} pressure \\cite{a} fell.\n\nAfter.", Search("pressure"), MOST)
    assert (one.before, one.words, one.after) == ("The blood ", "pressure", " … fell.")


@pytest.mark.parametrize(
    ("latex", "words", "new", "after"),
    [
        (r"the R\&D here", "R&D", "R&D 5% of_it", r"the R\&D 5\% of\_it here"),
        (r"\textbf{hyper}tension", "hypertension", "BP", r"\textbf{BP}"),
        (r"a \textbf{b} c", "a b", "x", "x c"),
        (r"a \textbf{b} c", "b", "", "a  c"),
        (r"hyper\-tension", "hypertension", "BP", "BP"),
        ("a \\ldots. b", ".", "x", "a \\ldots{}x b"),
        (r"\noindent. b", ".", "x", r"\noindent{}x b"),
        ("one\nword\ntwo", "word", "", "one\n{}\ntwo"),
        (r"\item[ll] foo", "ll", "[x]", r"\item[{[}x{]}] foo"),
        ("a-b", "b", "-", "a-{}-"),
        ("C:temp", ":", "\\", r"C\textbackslash{}temp"),
        ("aa", "a", "aa", "aaaa"),
        ("one  two", "one", "$1 \\1 \\g<0>", r"\$1 \textbackslash{}1 \textbackslash{}g\textless{}0\textgreater{}  two"),
        ("crlf\r\nhere", "crlf here", "x", "x"),
    ],
)
def test_a_replacement_prints_what_was_typed(latex: str, words: str, new: str, after: str) -> None:
    made = replaced(latex, words, new)
    assert (made.latex, made.left) == (after, [])


def test_in_the_source_everything_is_taken_as_written() -> None:
    assert replaced(r"\cite{a} a", "a", r"\b", in_source=True).latex == r"\cite{\b} \b"


def test_only_what_was_chosen_is_replaced() -> None:
    matches = find_words("a b a b a", Search("a"), MOST)
    assert replace_words("a b a b a", Search("a"), "x", {matches[1].start}, MOST).latex == "a b x b a"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "piece", ["{", "}", "$", "$$", "\\(", "\\begin{align}", "\\item[", "\\textbf{", "@a{", "\\section[{"]
)
def test_broken_latex_stays_as_it_is(piece: str) -> None:
    text = piece * 20_000 + " word"
    made = replaced(text, "word", "x")
    assert made.latex in (text, piece * 20_000 + " x")


FRAGMENTS = st.sampled_from(
    [
        "ab", "a b", "b", " ", "\n", "\n\n", "\r\n", "\\textbf{a}b", "\\emph{a b}", "\\cite{ab}", "\\cite[a]{b}",
        "$a b$", "\\ldots", "\\ldots ", "\\%", "\\&", "--", "-", "'", "`", "~", "\\,", "{", "}", "[", "]", "\\",
        "% a b\n", "\\ref{a}", "\\label{ab}", "\\footnote{a}", "\\section{a b}", "\\item ", "\\\\", "&", "\\'a", "é",
        "\\-", "{}", "\\foo", "\\begin{itemize}", "\\end{itemize}", "कि", "@", "*", "\\verb|ab|", "\\noindent",
    ]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=14).map("".join)
WORDS = st.text(alphabet="ab -%&'é", min_size=1, max_size=3)
NEW = st.text(alphabet="ab -%&\\{}[]$#_^~'`*\"", max_size=5)


@given(TEXTS, WORDS, NEW)
def test_afterwards_the_words_are_those_of_a_plain_replacement(latex: str, words: str, new: str) -> None:
    made = replaced(latex, words, new)
    if made.left or not made.edits:
        return
    before = shown_text(latex)
    starts = {one.start for one in find_words(latex, Search(words), MOST)}
    spans = [before.place_of(start) for start in starts]
    size = {before.place_of(one.start): len(one.words) for one in find_words(latex, Search(words), MOST)}
    wanted = apply_edits(before.text, [Edit(at, at + size[at], as_typed(new)) for at in spans])
    assert plain(shown_text(made.latex).text) == plain(wanted)


def plain(text: str) -> str:
    return re.sub(r"[ \n]+", lambda gap: "\n" if "\n" in gap[0] else " ", unicodedata.normalize("NFC", text)).strip()


@given(TEXTS, WORDS, NEW)
def test_outside_the_matches_nothing_changes_and_it_can_be_undone(latex: str, words: str, new: str) -> None:
    made = replaced(latex, words, new)
    back, moved = [], 0
    for start, end, text in chain.from_iterable(made.edits):
        back.append(Edit(start + moved, start + moved + len(text), latex[start:end]))
        moved += len(text) - (end - start)
    assert apply_edits(made.latex, back) == latex
    if not made.left and not made.edits:
        assert made.latex == latex


@given(TEXTS, WORDS, NEW)
def test_keys_formulas_and_comments_are_never_touched(latex: str, words: str, new: str) -> None:
    made = replaced(latex, words, new)
    untouched = re.compile(r"\\(?:cite(?:\[a\])?|ref|label)\{[^}]*\}|\$a b\$|% a b\n|\\verb\|ab\|")
    if "\\\\" not in latex and "\\verb" not in latex:
        assert untouched.findall(made.latex) == untouched.findall(latex)
