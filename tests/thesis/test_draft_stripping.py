r"""Keys taken out of cite commands: every form, and nothing else touched (SPEC T5)."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latex.cite_edits import UNRESOLVED, remove_keys, without_doubles
from latex.cite_keys import CiteCommand, cite_commands, visible

D = UNRESOLVED.format(key="d")
E = UNRESOLVED.format(key="e")

FORMS = [
    (r"A \cite{d}.", f"A % {D}\n."),
    (r"A~\cite{d}.", f"A~% {D}\n."),
    (r"A \cite{a,d}.", rf"A \cite{{a}}% {D}" + "\n."),
    (r"A \cite{d,a} b", rf"A \cite{{a}} % {D}" + "\n b"),
    (r"A \cite{a, d, b} c", rf"A \cite{{a, b}} % {D}" + "\n c"),
    (r"A \cite{d, a}", rf"A \cite{{a}}% {D}" + "\n"),
    (r"word\cite{d} next", f"word % {D}\n next"),
    ("word\\cite{d}\nnext", f"word % {D}\nnext"),
    ("word \\cite{d}\nnext", f"word % {D}\nnext"),
    ("word \\cite{d}\n\nnext", f"word % {D}\n\nnext"),
    ("word \\cite{a,d}\r\nnext", f"word \\cite{{a}} % {D}\r\nnext"),
    ("word \\cite{d} on\r\nnext", f"word % {D}\r\n on\r\nnext"),
    (r"\citep{d}, b", f"% {D}\n, b"),
    (r"\citet*{d}, b", f"% {D}\n, b"),
    (r"\citep[p.~3]{a,d}, b", rf"\citep[p.~3]{{a}}% {D}" + "\n, b"),
    (r"\citep[see][p.~3]{d}, b", f"% {D}\n, b"),
    (r"\parencite[see][]{d,a}, b", rf"\parencite[see][]{{a}}% {D}" + "\n, b"),
    (r"\textcite{d}, b", f"% {D}\n, b"),
    (r"\autocite{a,d}, b", rf"\autocite{{a}}% {D}" + "\n, b"),
    (r"\footcite[12]{d}, b", f"% {D}\n, b"),
    (r"\citeauthor{d}, b", f"% {D}\n, b"),
    (r"\Citet{d}, b", f"% {D}\n, b"),
    (r"\nocite{d,a}", rf"\nocite{{a}}% {D}" + "\n"),
    (r"\cites{a}{d}, b", rf"\cites{{a}}% {D}" + "\n, b"),
    (r"\cites(see)[3]{a}[4]{d}{b}, c", rf"\cites(see)[3]{{a}}{{b}}% {D}" + "\n, c"),
    (r"\cites[3]{d}[4]{d}, c", f"% {D}\n, c"),
    (r"\volcite{2}[p.~3]{d}, b", f"% {D}\n, b"),
    ("\\cite{a,\n  d,\n  b}, c", f"\\cite{{a,\n  b}}% {D}\n, c"),
    ("\\cite{a,% a note\n d}, c", f"\\cite{{a% a note\n}}% {D}\n, c"),
    ("\\cite\n  {d}, c", f"% {D}\n, c"),
    (r"\cite{d,e}, c", f"% {D}\n% {E}\n, c"),
    (r"\cite{d,a,e}, c", rf"\cite{{a}}% {D}" + f"\n% {E}\n, c"),
    (r"\citep[see \cite{d}][]{a}, c", rf"\citep[see % {D}" + "\n][]{a}, c"),
    (r"\citep[see \cite{a}][]{d}, c", f"% {D}\n, c"),
    (r"\footnote{As \cite{d}}", rf"\footnote{{As % {D}" + "\n}"),
    (r"\cite{d}% note", f"% {D}\n% note"),
]
UNTOUCHED = [
    r"% \cite{d}", r"\verb|\cite{d}|", "\\begin{verbatim}\n\\cite{d}\n\\end{verbatim}", r"\cite{D}", r"\cite{dd,a}",
    r"\newcommand{\see}[1]{\cite{#1}}", r"\cite{", r"\cite{d", r"\citestyle{d}", r"\nocite{*}", "d", "",
    r"\label{d} \ref{d}",
]  # fmt: skip


@pytest.mark.parametrize(("latex", "left"), FORMS)
def test_every_form(latex: str, left: str) -> None:
    made = remove_keys(latex, {"d", "e"})
    assert made == left
    assert remove_keys(made, {"d", "e"}) == made


@pytest.mark.parametrize("latex", UNTOUCHED)
def test_what_cites_no_such_key_stays_as_it_is(latex: str) -> None:
    assert remove_keys(latex, {"d"}) is latex


def test_without_a_comment_and_with_another() -> None:
    assert remove_keys(r"A~\cite{a,d} b \cite{d}.", ["d"], "") == r"A~\cite{a} b ."
    assert remove_keys(r"\cite{d}.", ["d"], "gone: {key}") == "% gone: d\n."


@pytest.mark.parametrize(
    ("latex", "left"),
    [
        (r"\cite{a,a}", r"\cite{a}"),
        (r"\citep[p.~2]{a, b,a}", r"\citep[p.~2]{a, b}"),
        (r"\cite{a,b} \cite{a}", r"\cite{a,b} \cite{a}"),
        (r"% \cite{a,a}", r"% \cite{a,a}"),
    ],
)
def test_each_key_once(latex: str, left: str) -> None:
    assert without_doubles(latex) == left


_PIECES = st.sampled_from(
    [r"\cite{d}", r"\cite{a,d}", r"\citep[see][p.~3]{d, b}", r"\cites{a}[2]{d}", r"\textcite*{a}", r"\cite{d", "%", "~"]
    + ["\n", "\r\n", " ", "\n\n", "word", "\\", "{", "}", "[", "]", ",", "$", r"\verb|\cite{d}|", "% note \\cite{d}\n"]
    + ["\\begin{verbatim}", "\\end{verbatim}", r"\footnote{", "é", "𝔸", r"\nocite{d}", r"\%"]
)
_LATEX = st.lists(_PIECES, max_size=14).map("".join)


def _cited(latex: str) -> list[str]:
    return [key for command in cite_commands(latex) for key in command.keys]


@example(r"\cite{d\cite{d}}")
@example("\\cite{d\n}")
@example(r"\cites{a}[2]{d}[}\cites{a}[2]{d}")
@example(r"\cites{a}[2]{d}\cite{d}{}")
@given(_LATEX)
def test_whatever_the_text(latex: str) -> None:
    made = remove_keys(latex, {"d"})
    if "d" not in _cited(latex):
        assert made is latex
        return
    assert "d" not in _cited(made)
    others = [key for command in cite_commands(latex) for key in command.keys if key != "d"]
    within_keys = re.search(r"\\cite\{d[^{}]*\\", latex)  # broken: what is left of its keys is another one
    overlap = any(inner.start < outer.end for outer, inner in _pairs(latex))  # broken: a command in another's brackets
    if not within_keys and not overlap:
        assert _cited(made) == others
    assert remove_keys(made, {"d"}) == made
    # Without the comments it is the text without the commands: nothing else is lost, in the same order
    left, before = ("".join(_rest(one).split()).replace(r"\relax", "") for one in (made, latex))
    signs = iter(left)
    assert left == before or overlap and all(sign in signs for sign in before)


def _pairs(latex: str) -> list[tuple[CiteCommand, CiteCommand]]:
    found = list(cite_commands(latex))
    return list(zip(found, found[1:], strict=False))


def _rest(latex: str) -> str:
    """What is visible outside cite commands, and outside those that are whole once the ones within them are gone."""
    while commands := list(cite_commands(latex)):
        shown = list(visible(latex))
        for command in commands:
            shown[command.start : command.end] = " " * (command.end - command.start)
        latex = "".join(shown)
    return visible(latex)


def test_words_in_braces_do_not_become_a_key_of_the_command_before() -> None:
    made = remove_keys(r"\cites{a}{b}\cite{d}{words} and \cite{a}\cite{d}[more]", {"d"})
    assert _cited(made) == ["a", "b", "a"]
    assert "\\relax {words} and" in made
    assert "more" in made


@given(st.lists(st.sampled_from([r"\cite{a,b}", "text", "% c\n", "\n", "\\verb|x|", "{", r"\cite{"]), max_size=12))
def test_without_the_key_byte_for_byte(parts: list[str]) -> None:
    latex = "".join(parts)
    assert remove_keys(latex, {"d", "e"}) is latex
    assert remove_keys(latex, set()) is latex


@pytest.mark.long
def test_a_long_text_quickly() -> None:
    latex = r"A claim \citep[see][p.~3]{a,d} and more words. " * 20_000
    assert remove_keys(latex, {"d"}).count("UNRESOLVED") == 20_000
