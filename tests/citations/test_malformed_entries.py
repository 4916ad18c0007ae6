"""Malformed and hostile BibTeX (SPEC C3, C10): no crash, no hang, and every good neighbour is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.formats.bibtex import read_bibtex
from citations.importing import stored_file_entries
from citations.importing.stored_file_entries import MAX_ENTRIES, MAX_TEXT, compare_entries, import_chosen, read_entries
from citations.models import Citation
from core.errors import Refused
from projects.models import Project
from projects.stored_files import stored_file
from tests.citations.sample_files import stored
from tests.examples import examples
from tests.time_limits import HANGS

GOOD = "\n@article{good%d, title = {Alder roots %d}, author = {Menon, Asha}, year = 2021}\n"
# What is wrong, and whether a person must be told that an entry, or a part of one, could not be read.
MALFORMED = {
    "an unclosed brace": ("@article{bad, title = {Alder,", True),
    "an unclosed brace inside": ("@article{bad, title = {Alder {and, year = 2020}", True),
    "a brace too many": ("@article{bad, title = {Alder}}, year = {2020}}", True),
    "an unclosed quotation mark": ('@article{bad, title = "Alder, year = 2020}', True),
    "a quotation mark too many": ('@article{bad, title = "Al"der", year = 2020}', True),
    "no key": ("@article{title = {Alder}, year = 2020}", False),
    "an empty key": ("@article{, title = {Alder}}", False),
    "a key with spaces": ("@article{two words, title = {Alder}}", False),
    "a key beyond ASCII": ("@article{Übung2020漢字, title = {Alder}}", False),
    "a key with a line in it": ("@article{two\nwords, title = {Alder}}", False),
    "no comma after the key": ("@article{bad title = {Alder}}", False),
    "no comma between fields": ("@article{bad, title = {Alder} year = 2020}", False),
    "two commas": ("@article{bad, title = {Alder},, year = 2020}", False),
    "no equals sign": ("@article{bad, title {Alder}, year = 2020}", True),
    "no value": ("@article{bad, title = , year = 2020}", False),
    "no fields": ("@article{bad,}", True),
    "nothing at all": ("@article{}", True),
    "no type": ("@{bad, title = {Alder}}", False),
    "no @": ("article{bad, title = {Alder}}", True),
    "a type nobody knows": ("@whatever{bad, title = {Alder}}", False),
    "a key used before": ("@article{good1, title = {Another}}", True),
    "a field twice": ("@article{bad, title = {Alder}, title = {Birch}}", False),
    "a string nobody defined": ("@article{bad, title = nobody, year = 2020}", False),
    "a string that is not closed": ("@string{a = {Alder", True),
    "a string made of itself": ("@string{a = a # a} @article{bad, title = a # a # a}", False),
    "a join without an end": ("@article{bad, title = {Alder} # , year = 2020}", None),
    "a join without a beginning": ("@article{bad, title = # {Alder}}", True),
    "round brackets that end as braces": ("@article(bad, title = {Alder}}", None),
    "a comment that is not closed": ("@comment{bad, title = {Alder}", None),
    "a script in the title": ("@article{bad, title = {<script>alert(1)</script>}}", False),
    "commands inside each other": (r"@article{bad, title = {" + r"\xx{" * 1_500 + "}" * 1_500 + "}}", True),
    "a command without its end": (r"@article{bad, title = {\verb}}", True),
    "a formula without its end": (r"@article{bad, title = {A $x and y}}", False),
    "NUL and control characters": ("@article{bad\x00, title = {\x01\x02\x1b}}", None),
    "half of a character": ("@article{bad, title = {\ud800}}", None),
    "nothing but an @": ("@", False),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("bad", MALFORMED.values(), ids=MALFORMED)
def test_good_neighbours_are_kept(bad: tuple[str, bool | None], project: Project) -> None:
    text, is_lost = bad
    whole = GOOD % (1, 1) + text + GOOD % (2, 2)
    file = stored_file(project, stored(project, whole.encode("utf-8", "surrogatepass")).pk)
    reading = read_entries(file)
    keys = [entry.key for entry in reading.entries]
    assert keys[0] == "good1"
    # Of what is never closed nobody can tell where it ends: it ends where the next entry begins.
    assert keys[-1] == "good2"
    if is_lost is not None:
        assert bool(reading.unreadable) == is_lost
    for problem in reading.problems:
        assert problem.line in range(1, whole.count("\n") + 2)
        assert problem.message.endswith((".", "?"))
    brought = import_chosen(project, reading.entries)
    assert {"good1", "good2"} <= set(brought.imported)
    assert Citation.objects.count() == len(brought.imported)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "text",
    [
        "@misc{bad, title = {" + "x" * 5_000_000 + "}}",
        "@misc{bad, title = {" + "x " * 2_500_000,
        "@misc{bad, " + "a" * 1_000_000 + " = {x}}",
        "@misc{bad, title = " + '"x" # ' * 90_000 + '"y"}',
        "@misc{bad, title = " + '"' * 100_000,
        "@misc{bad, title = {\\" + "\\" * 9_000 + "}}",
        "@misc{" * 5_000,
        "{" * 300_000,
        "@" * 100_000,
        "\n" * 300_000,
        "@string{a={x}}" * 3_000,
        "@string{a = {" + "x" * 9_000 + "}}\n@misc{bad, title = " + " # ".join(["a"] * 20) + "}",
    ],
    ids=lambda text: f"{text[:24]} ({len(text):,})".replace("\n", "line "),
)
@pytest.mark.timeout(HANGS)
def test_a_hostile_file_is_read_in_moments(text: str) -> None:
    reading = read_bibtex(GOOD % (1, 1) + text + "\n" + GOOD % (2, 2))
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]


def test_what_is_shown_of_a_long_entry_is_short(project: Project) -> None:
    file = stored_file(project, stored(project, "@misc{bad, title = {" + "x" * 600_000 + "}}").pk)
    (problem,) = read_entries(file).unreadable
    assert len(problem.text) < MAX_TEXT + 60
    assert problem.text.endswith("more characters")


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_many_works_under_one_doi_are_compared_in_moments(project: Project) -> None:
    entries = "".join(
        f"@misc{{k{number}, title={{{'ab' * 90}{'ba' * (number % 97)}}}, doi={{10.1/x}}}}\n" for number in range(2_000)
    )
    reading = read_bibtex(entries)
    compare_entries(project, reading.entries)


PIECES = st.sampled_from(
    ["@article{", "@string{a=", "@comment{", "{", "}", '"', "#", ",", "=", "\n", "@", "bad", "title", "{x}", "\\", "$"]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=30).map("".join))
@examples(200)
def test_nothing_stops_the_reader(text: str) -> None:
    reading = read_bibtex(f"{GOOD % (1, 1)}{text}\n{GOOD % (2, 2)}")
    assert reading.entries[0].key == "good1"
    for problem in reading.problems:
        assert problem.line >= 1


def test_of_very_many_the_rest_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_file_entries, "MAX_ENTRIES", 3)
    monkeypatch.setattr(stored_file_entries, "MAX_PROBLEMS", 2)
    text = "".join(f"@misc{{k{number}, title={{T}}}}\n" for number in range(4))
    reading = read_entries(stored_file(project, stored(project, text).pk))
    assert [entry.key for entry in reading.entries] == ["k0", "k1", "k2"]
    assert [(problem.line, problem.message[:32]) for problem in reading.problems] == [
        (4, "Only the first 3 entries were re")
    ]
    reading = read_entries(stored_file(project, stored(project, "@misc{k\n" * 5).pk))
    assert [problem.line for problem in reading.problems] == [1, 2, 3]
    assert reading.problems[2].message == "There are 3 more problems from here on. They are not listed."


def test_a_file_of_nothing_but_beginnings_is_refused(project: Project) -> None:
    file = stored_file(project, stored(project, "@" * (5 * MAX_ENTRIES + 1)).pk)
    with pytest.raises(Refused, match="Split it"):
        read_entries(file)
