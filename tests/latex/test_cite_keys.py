"""The keys that a text cites, whatever its LaTeX is like (SPEC C7)."""

import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latex.cite_keys import EVERYTHING, cite_commands, count_cited, visible
from tests.time_limits import HANGS


def keys(latex: str) -> list[str]:
    return [key for command in cite_commands(latex) for key in command.keys]


def counted(latex: str) -> Counter[str]:
    return Counter(",".join(command.keys) for command in cite_commands(latex))


@pytest.mark.parametrize(
    "name",
    ["cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "citeyearpar", "citenum", "citetitle"]
    + ["nocite", "parencite", "textcite", "autocite", "footcite", "footcitetext", "smartcite", "supercite", "fullcite"]
    + ["footfullcite", "onlinecite", "citeasnoun", "shortcite", "citeA", "Cite", "Citet", "Textcite", "Autocite"],
)
def test_every_command_that_cites(name: str) -> None:
    for text in (f"\\{name}{{a}}", f"\\{name}*{{a}}", f"\\{name}[p.~3]{{a}}", f"\\{name}*[see][pp. 3--4]{{a}}"):
        assert [(one.name, one.keys, one.start, one.end) for one in cite_commands(text)] == [
            (name, ("a",), 0, len(text))
        ]


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        ("", []),
        ("cite{a} \\ref{a} \\label{cite} \\emph{a}", []),
        ("\\cite{a,b , c}", ["a", "b", "c"]),
        ("\\cite{ menon 2019 }", ["menon 2019"]),
        ("\\cite{Büro2020,ключ,o'neil:2019/x+y.z_1}", ["Büro2020", "ключ", "o'neil:2019/x+y.z_1"]),
        ("\\cite{Sterne2020}\\cite{sterne2020}", ["Sterne2020", "sterne2020"]),
        ("\\cite{a}\\cite{a}", ["a", "a"]),
        ("\\cite{}\\cite{ , ,}", []),
        ("\\nocite{*}", [EVERYTHING]),
        # Over lines, with comments
        ("\\cite{a,%\n  b, % not c\n  d}", ["a", "b", "d"]),
        ("\\cite{a,\r\n  b,\r  c}", ["a", "b", "c"]),
        ("\\cite{a, %\n % only a comment\n b}", ["a", "b"]),
        ("\\cite [p.~3]\n  {a}", ["a"]),
        ("\\cite% why\n[3]% and\n{a}", ["a"]),
        ("\\cite\n\n{a}", []),
        ("% \\cite{a}\n\\cite{b} % \\cite{c}\r\n\\cite{d}%\\cite{e}", ["b", "d"]),
        ("5\\% \\cite{a} and 5\\\\% \\cite{b}\n\\cite{c}", ["a", "c"]),
        ("x \\\\cite{a} \\\\\\cite{b} \\\\% \\cite{c}", ["b"]),
        # What stands in brackets
        ("\\cite[see \\emph{all} of it][]{a}", ["a"]),
        ("\\cite[{a]b}]{k} \\cite[\\% of]{l}", ["k", "l"]),
        ("\\cite[see also \\citealp{b}]{a}", ["a", "b"]),
        ("\\cite<see>[p.~3]{a}", ["a"]),
        ("\\cite[open {a} \\cite{b}", ["b"]),
        # Several in one
        ("\\cites{a}{b} {c}", ["a", "b", "c"]),
        ("\\parencites(see)(and more)[a][b]{x}[c]{y,z}{w} {not}", ["x", "y", "z", "w", "not"]),
        ("\\footcitetexts{a}%\n{b}", ["a", "b"]),
        ("\\cites{a} and {b}", ["a"]),
        ("\\cite{a}{b}", ["a"]),
        ("\\volcite{2}[3]{a} \\pvolcite[see]{2}{b}", ["a", "b"]),
        # No text
        ("\\verb|\\cite{a}| \\verb*+\\cite{b}+ \\verb{\\cite{c{ \\cite{d}", ["d"]),
        ("\\verb|%| \\cite{a}", ["a"]),
        ("\\verb|\\cite{a}\n|", ["a"]),
        ("\\lstinline[language=TeX]|\\cite{a}| \\lstinline{\\cite{b}} \\mintinline{tex}!\\cite{c}! \\cite{d}", ["d"]),
        ("\\url{https://a.org/%20b} \\cite{a} \\href{x%y}{\\cite{b}}", ["a", "b"]),
        ("\\begin{verbatim}\n\\cite{a} % \\end{verbatim} \\cite{b}", ["b"]),
        ("\\begin{lstlisting}[float]\n\\cite{a}\n\\end{lstlisting}\\cite{b}", ["b"]),
        ("\\begin{comment}\n\\begin{verbatim}\n\\cite{a}\n\\end{comment}\\cite{b}", ["b"]),
        ("\\begin{minted}{tex}\\cite{a}\\end{minted}\\begin{Verbatim}\\cite{b}\\end{Verbatim}", []),
        ("% \\begin{comment}\n\\cite{a}\n% \\end{comment}", ["a"]),
        ("\\begin{quote}\\cite{a}\\end{quote}\\begin{verbatimlike}\\cite{b}\\end{verbatimlike}", ["a", "b"]),
        # Definitions and settings
        ("\\newcommand{\\see}[1]{see \\cite{#1}} \\see{a}", ["a"]),
        ("\\newcommand{\\citehere}[2][]{\\cite[#1]{#2}}\\renewcommand*{\\citep}[1]{x}\\renewcommand\\cite{x}", []),
        ("\\def\\cite#1{[#1]} \\let\\oldcite\\cite \\let\\cite=\\citep {a} \\cite{b}", ["b"]),
        ("\\DeclareRobustCommand\\cite[1]{x}\\NewDocumentCommand{\\mycite}{om}{\\cite[#1]{#2}}", []),
        ("\\newcommand{\\trial}{\\cite{recovery2021}}", ["recovery2021"]),
        ("\\citestyle{apa}\\setcitestyle{round}\\defcitealias{a}{Paper I}\\citetext{see \\citealp{b}}", ["b"]),
        ("\\DeclareCiteCommand{\\cite}{\\usebibmacro{x}}{}{}{}\\AtEveryCite{x}\\bibcite{a}{1}", []),
        ("\\citetalias{a} \\citation{b}", ["a"]),
        # Broken
        ("\\cite", []),
        ("\\cite{a", []),
        ("\\cite{a and \\cite{b}", ["b"]),
        ("\\cite{a \\cite{b}} \\cite{c}", ["b", "c"]),
        ("\\cite[a \\cite{b} ] c", ["b"]),
        ("\\begin{verbatim}\\cite{a}", ["a"]),
        ("\\verb|\\cite{a}", ["a"]),
        ("} ] \\cite{a} } ]", ["a"]),
        ("\\cite{a\\b}\\cite{\\key}", []),
        ("\\cite{a\\_b}", ["a\\_b"]),
        # White space at an end
        ("\\cite{a\n}", ["a"]),
        ("\\cite{ a}", ["a"]),
        ("\\cite{ a }\\cite{b}", ["a", "b"]),
    ],
)
def test_what_is_cited(latex: str, found: list[str]) -> None:
    assert keys(latex) == found
    assert count_cited(latex) == counted(latex)


def test_where_they_stand() -> None:
    text = "Alder % \\cite{no}\n\\citep[see][p.~3]{a,\n b} and \\textcites(x)[1]{c}[2]{d}. \\cite[\\emph{e}]{f}{g}"
    assert [text[one.start : one.end] for one in cite_commands(text)] == [
        "\\citep[see][p.~3]{a,\n b}",
        "\\textcites(x)[1]{c}[2]{d}",
        "\\cite[\\emph{e}]{f}",
    ]


def test_blanks_stand_for_what_is_no_text() -> None:
    text = "a % b\nc \\verb|%| d\\% \\\\% e\r\n\\begin{comment}f % g\\end{comment} h"
    shown = visible(text)
    assert len(shown) == len(text)
    assert shown.split() == ["a", "c", "d\\%", "\\begin{comment}", "\\end{comment}", "h"]
    assert visible("nothing \\emph{here}") == "nothing \\emph{here}"


PLAIN = st.sampled_from(
    ["\\cite{a}", "\\citep[p. 3]{a, b}", "\\citet*{b}", "Alder ", "\\% 5", "% no \\cite{c}\n", "\\nocite{*}", "\\\\"]
)
ODD = st.sampled_from(
    [
        "\\cite{a b}",
        "\\cite{a , b}",
        "\\cite{a }",
        "\\cite{\na}",
        "\\cite{}",
        "\\cite{,a}",
        "\\cite{#1}",
        "\\cite{a\0b}",
        "\\cites{a}{b}",
        "\\cite",
    ]
)


@given(st.lists(PLAIN | ODD, max_size=12).map("".join), st.lists(PLAIN, max_size=12).map("".join))
def test_counting_is_as_reading_each(mixed: str, plain: str) -> None:
    assert count_cited(mixed) == counted(mixed)
    assert count_cited(plain) == counted(plain)


KEY = st.text("abcXYZ019-_:.+/éж", min_size=1, max_size=8)
NAME = st.sampled_from(["cite", "citep", "citet*", "parencite", "nocite", "citeauthor", "Textcite", "mycite"])
NOTE = st.sampled_from(["", "[]", "[p.~3]", "[see][]", "[see \\emph{x}, \\% y]", " ", "%\n", "\n  ", "[{]}]"])
COMMA = st.sampled_from([",", ", ", ",%x\n ", " ,\n"])
HIDDEN = st.sampled_from(
    [
        "% \\cite{hidden}\n",
        "\\verb|\\cite{hidden}|",
        "\\begin{verbatim}%\\cite{hidden}\n\\end{verbatim}",
        "\\\\cite{hidden}",
    ]
    + ["\\url{a%b}", "\\newcommand{\\x}[1]{\\cite{#1}}", "\\\\% \\cite{hidden}\n", "\\lstinline!\\cite{hidden}!"]
)
PROSE = st.sampled_from(
    ["Alder. ", "\\%", "{", "}", "[", "]", "\\emph{x}", "\n\n", "$a_{1}$", "\\\\[2pt]", "\\{", "~", "(a, b)"]
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text, and the keys that are cited in it."""
    parts, cited = [], []
    for kind in draw(st.lists(st.sampled_from("chp"), max_size=25)):
        if kind == "c":
            some = draw(st.lists(KEY, min_size=1, max_size=3))
            parts.append(f"\\{draw(NAME)}{draw(NOTE)}{{{draw(COMMA).join(some)}}}")
            cited += some
        else:
            parts.append(draw(HIDDEN if kind == "h" else PROSE))
    return "".join(parts), cited


@given(texts())
def test_all_keys_and_no_others_in_any_text(made: tuple[str, list[str]]) -> None:
    text, cited = made
    assert keys(text) == cited
    assert count_cited(text) == counted(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "\\cite",
                "\\cites",
                "\\verb",
                "\\begin{verbatim}",
                "\\end{verbatim}",
                "\\url",
                "\\newcommand",
                "\\lstinline",
            ]
            + [
                "{",
                "}",
                "[",
                "]",
                "(",
                ")",
                "<",
                ">",
                "%",
                "\\",
                "\\\\",
                "\n",
                "\r",
                " ",
                ",",
                "*",
                "#",
                "a",
                "b",
                "|",
                "é",
                "\0",
            ]
        ),
        max_size=40,
    ).map("".join)
)
@example(r"\cite\begin{verbatim}\newcommand\begin{verbatim}")
def test_any_text_is_read(text: str) -> None:
    before = 0
    for command in cite_commands(text):
        assert command.start >= before
        assert text[command.start :].startswith(f"\\{command.name}")
        # A key may come from a command that the text defines, which needs no braces behind \cite.
        own = re.search(r"\\([A-Za-z]+)\Z", text[: command.end])
        assert text[command.end - 1] == "}" or (own and f"\\newcommand\\{own[1]}" in text)
        assert all(
            key and key == key.strip() and key in " ".join(text.split()) for key in command.keys if "%" not in text
        )
        before = command.start + 1
    assert count_cited(text) == counted(text)
    assert len(visible(text)) == len(text)


# What was quadratic took longer than the limit at this length
@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    ["\\", "\\%", "\\\\%", "%", "{", "[", "\\cite", "\\cite[", "\\cite{", "\\cite[{", "\\cites{", "\\cites(", "\\cite<"]
    + ["\\cites{a}", "\\cite[a]", "\\cite{a}[", "\\cite\n", "\n\n\\cite[", "\\verb|", "\\begin{verbatim}", "\\url{"]
    + [
        "\\lstinline{",
        "\\lstinline[",
        "\\lstinline{a{b}",
        "\\newcommand{",
        "\\let",
        "cite",
        " \n",
        "\\cite{a}{",
        "\\cite{a,%\n",
    ],
)
@pytest.mark.timeout(HANGS)
def test_time_grows_with_the_length_only(unit: str) -> None:
    text = unit * 30_000 + "\\cites[" + unit * 30_000 + "\\cite{z}"
    list(cite_commands(text))
    count_cited(text)


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_nested_and_crossed_openings_take_linear_time() -> None:
    count = 10_000
    delimiters = "".join(f"\\verb{chr(0x4E00 + number)}" for number in range(count))
    for text in (
        "\\cites{" * count + "}" * count,
        "\\cite[" * count + "]" * count,
        "\\cite[{" * count + "}]" * count,
        "\\cites" + "[a]{b}" * count,
        delimiters,
        "\\" + "cite" * count + "{a}",
        "\\cite" + " " * count + "\n" * count,
    ):
        list(cite_commands(text))
