r"""LaTeX in values: the short way for accents reads as the long way does, and nothing is read for ever (SPEC C10)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latex.bibtex_unicode import paragraphs_to_unicode, to_latex, to_unicode
from tests.examples import examples
from tests.time_limits import HANGS

ACCENTS = [rf"\{mark}{over}" for mark in "'`^\"~=." for over in ("e", "{o}", "{A}", r"{\i}", " u")]
ACCENTS += [rf"\{mark}{over}" for mark in "cvuHkdr" for over in ("{c}", " s", r"{\i}")]
LETTERS = [r"\ss", r"\o{}", r"{\aa}", r"{\OE}", r"\l ", r"{\L}", r"\i{}", r"\'\i", r"\^\j", r"\ae"]
FONTS = [r"\emph{x \'e}", r"\textbf{B}", r"\textsc {c}", r"\textit{}", r"\texttt{a\_b}", r"\textup{e}", r"\textsl{f}"]
SIGNS = [r"\&", r"\%", r"\#", r"\_", r"\$", r"\{", r"\}", "&", "%", "#", "_", "~", "--", "---", "``", "''", "?`", "!`"]
PIECES = st.sampled_from(
    [*ACCENTS, *LETTERS, *FONTS, *SIGNS, "{", "}", " ", "a", "Br", "'", "-", ":", "\n", " é", " ß", r"\\"]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@example(r"a\\'e")
@example("\\ss\n\n\\'e")
@examples(400)
def test_the_short_way_reads_as_the_long_way(value: str) -> None:
    if value.count("{") != value.count("}"):
        return  # what is no LaTeX may be read in two ways
    long = to_unicode(value + r"\relax{}")  # a command nobody knows, without a text
    assert to_unicode(value) == long


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"M{\"u}ller and Bj\o rn {\AA}s", "Müller and Bjørn Ås"),
        (r"Caf\'e \& bar: 50\% of \{all\}", "Café & bar: 50% of {all}"),
        (r"Johnson & Johnson in \emph{Caf\'e}", "Johnson & Johnson in Café"),
        (r"{\c C}al{\i}{\c s}kan, Dvo{\v{r}}{\'a}k, Erd{\H o}s", "Çalıskan, Dvořák, Erdős".replace("ıs", "ış")),
        (r"?`Qu\'e?", "¿Qué?"),
        (r"cost \$5", "cost $5"),
        (r"The \texttt{ggplot2} package, \mbox{p53} and $\alpha$", "The ggplot2 package, p53 and α"),
    ],
)
def test_what_lists_of_references_hold(written: str, read: str) -> None:
    assert to_unicode(written) == read


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), max_size=30))
def test_any_text_goes_to_latex_and_back(text: str) -> None:
    assert to_unicode(to_latex(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "value", [r"\sqrt[" * 30, r"\frac{" * 400, r"\href{" * 300, r"\sqrt[" * 16 + "]" * 16, r"\sqrt[{" * 40]
)
@pytest.mark.timeout(HANGS)
def test_commands_that_never_close_stop_the_reading_at_once(value: str) -> None:
    with pytest.raises(RecursionError):
        to_unicode(value)


def test_commands_that_do_close_are_read() -> None:
    assert to_unicode(r"\sqrt[a]{" * 10 + "}" * 10) == "√(" * 10 + ")" * 10
    assert to_unicode(r"\emph{" * 60 + "deep" + "}" * 60) == "deep"


def test_accents_take_a_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of 10,000 references has some 50,000 values with accents."""
    values = [rf"M{{\"u}}ller, J\"urgen and Garc{{\'\i}}a, Jos{{\'e}} {number}" for number in range(20_000)]
    for value in values:
        to_unicode(value)


def test_paragraphs_stay() -> None:
    assert paragraphs_to_unicode("Caf\\'e\n\nB{\\\"u}ro\nx") == "Café\n\nBüro x"
