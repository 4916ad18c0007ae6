r"""Commands that cite, against an expander that knows no more than \newcommand:
whatever is defined, the same keys (SPEC C7)."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.cite_edits import remove_keys
from latex.cite_keys import cite_commands, count_cited, read_cited, unfollowed
from tests.examples import examples

KEYS = st.sampled_from(["a1", "b2", "c3", "d4"])
LETTERS = "uvwxyz"


@st.composite
def theses(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A text that defines commands and uses them, and the bodies by name.
    Each has one argument, and names only later ones."""
    names = [f"q{letter}" for letter in LETTERS[: draw(st.integers(1, 6))]]
    bodies: dict[str, str] = {}
    for place, name in enumerate(names):
        pieces = [
            "words ",
            "\\cite{#1}",
            "\\citep[p.~2]{#1}",
            "\\textbf{#1}",
            f"\\cite{{{draw(KEYS)}}}",
            f"\\cite{{{draw(KEYS)},#1}}",
        ]
        pieces += [f"\\{other}{{#1}}" for other in names[place + 1 :]]
        bodies[name] = "".join(draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=4)))
    kinds = ["\\newcommand{{\\{0}}}[1]{{{1}}}", "\\def\\{0}#1{{{1}}}", "\\NewDocumentCommand\\{0}{{m}}{{{1}}}",
        "\\DeclareRobustCommand*\\{0}[1]{{{1}}}"]  # fmt: skip
    defined = "\n".join(draw(st.sampled_from(kinds)).format(name, body) for name, body in bodies.items())
    used = draw(st.lists(st.tuples(st.sampled_from([*names, "cite"]), KEYS), max_size=8))
    return f"{defined}\n\n" + "\n".join(f"Text \\{name}{{{key}}} goes on." for name, key in used), bodies


def expanded(text: str, bodies: dict[str, str]) -> str:
    """The text behind its definitions, with what its commands stand for."""
    text = text.partition("\n\n")[2]
    pattern = re.compile(rf"\\({'|'.join(bodies)})\{{(\w+)\}}")
    while pattern.search(text):
        text = pattern.sub(lambda found: bodies[found[1]].replace("#1", found[2]), text)
    return text


def keys_in(text: str) -> set[str]:
    return {key for found in re.findall(r"\\citep?(?:\[[^\]]*\])?\{([^}]*)\}", text) for key in found.split(",")}


@given(theses())
@examples(200)
def test_the_keys_are_those_of_the_text_that_tex_makes(made: tuple[str, dict[str, str]]) -> None:
    text, bodies = made
    behind = text.index("\n\n")
    commands = [one for one in cite_commands(text) if one.start > behind]
    assert {key for one in commands for key in one.keys} == keys_in(expanded(text, bodies))
    assert unfollowed(text) == []


@given(theses())
@examples(200)
def test_counting_gives_what_reading_gives(made: tuple[str, dict[str, str]]) -> None:
    text, _ = made
    counted = Counter(",".join(one.keys) for one in cite_commands(text))
    assert read_cited(text) == (dict(counted), [])


@given(theses(), KEYS)
@examples(200)
def test_nothing_is_left_of_a_key_that_is_stripped(made: tuple[str, dict[str, str]], gone: str) -> None:
    text, _ = made
    left = remove_keys(text, [gone])
    behind = left.index("\n\n")
    assert all(gone not in one.keys for one in cite_commands(left) if one.start > behind)
    assert left.count("Text ") == text.count("Text ")
    assert left.count("goes on.") == text.count("goes on.")


PIECES = [
    *"\\{}[]#1*= \n%ab@",
    "\\def",
    "\\cite",
    "\\newcommand",
    "\\let",
    "\\csname",
    "\\endcsname",
    "\\a",
    "{#1}",
    "\\catcode`",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@examples(300)
def test_whatever_is_written_is_read(text: str) -> None:
    count_cited(text)
    remove_keys(text, ["a"])


@pytest.mark.long
def test_hostile_texts_are_read() -> None:
    for text in (
        "\\def\\a{\\b\\b}\\def\\b{\\a\\a\\cite{k}}" + "\\a" * 5_000,
        "".join(f"\\newcommand{{\\c{'x' * (at % 50)}y{'z' * (at // 50)}}}[1]{{\\cite{{#1}}}}" for at in range(2_000)),
        "\\newcommand{\\a}[1]{\\cite{#1}}" + "\\a{" * 20_000,
        "\\newcommand{\\a}[1]{\\cite{#1}}" + "\\a{k}" * 50_000,
        "\\catcode`\\%=12{" * 5_000,
    ):
        read_cited(text)
