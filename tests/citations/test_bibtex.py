"""Reading BibTeX (SPEC C3, C10): good entries come in whatever is wrong with their neighbours."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citations.formats.bibtex import MAX_ENTRY, read_bibtex
from citations.formats.reading import Entry, Reading
from tests.time_limits import HANGS

GOOD = "@article{good%d, title = {Alder roots}, author = {Menon, Asha}, year = 2021}\n"


def read(text: str) -> Reading:
    return read_bibtex(text)


def single_entry(text: str) -> Entry:
    reading = read(text)
    assert reading.problems == []
    (entry,) = reading.entries
    return entry


def test_an_entry_becomes_csl_and_stays_as_it_was_written() -> None:
    text = """@Article{menon2021alder,
      author  = "Menon, Asha and {Forest Research Group}",
      title   = {Alder and soil nitrogen in {COVID-19} times},
      journal = {Forest Ecology}, volume = {12}, number = {3}, pages = {10--19}, year = 2021, month = mar,
      doi     = {https://doi.org/10.1000/forest_12.3}, pmid = {123},
      abstract = {First part.

      Second part.}, note = {Read twice.}
    }"""
    entry = single_entry(text)
    assert entry.key == "menon2021alder"
    assert entry.bibtex == text
    assert entry.note == "First part.\n\nSecond part.\n\nRead twice."
    assert entry.csl == {
        "type": "article-journal",
        "author": [{"family": "Menon", "given": "Asha"}, {"literal": "Forest Research Group"}],
        "title": "Alder and soil nitrogen in COVID-19 times",
        "container-title": "Forest Ecology",
        "volume": "12",
        "issue": "3",
        "page": "10-19",
        "issued": {"date-parts": [[2021, 3]]},
        "DOI": "10.1000/forest_12.3",
        "PMID": "123",
        "custom": {"written": {"title": "Alder and soil nitrogen in {COVID-19} times"}},
    }


def test_strings_and_concatenation_are_resolved() -> None:
    entry = single_entry(
        '@string{fe = "Forest " # "Ecology"} @article{a, title={T}, journal = fe # { and Soil}, year = "20" # 21}'
    )
    assert entry.csl["container-title"] == "Forest Ecology and Soil"
    assert entry.csl["issued"] == {"date-parts": [[2021]]}


def test_names_are_split_before_latex_is_decoded() -> None:
    value = (
        r"van der Berg, Jan and Ludwig van Beethoven and King, Jr, Martin and "
        r"{\'E}tienne {\"O}zt{\"u}rk and {\O}rn and others"
    )
    entry = single_entry(f"@misc{{a, title = {{T}}, author = {{{value}}}}}")
    assert entry.csl["author"] == [
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
        {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
        {"family": "King", "suffix": "Jr", "given": "Martin"},
        {"family": "Öztürk", "given": "Étienne"},
        {"family": "Ørn"},
    ]
    assert entry.csl["custom"]["others"] is True


def test_latex_becomes_unicode_and_a_percent_sign_ends_nothing() -> None:
    entry = single_entry(
        r"@misc{a, title = {Effect of \emph{Alnus} --- 50% of 5\,mg, $\alpha$ and \textasciitilde{}3 \& more}}"
    )
    assert entry.csl["title"] == "Effect of Alnus — 50% of 5 mg, α and ~3 & more"


def test_addresses_are_not_latex() -> None:
    entry = single_entry(
        r"@misc{a, title={T}, howpublished = {\url{https://example.org/a_b~c--d%20e}}, doi = {10.1/x\_y}}"
    )
    assert entry.csl["URL"] == "https://example.org/a_b~c--d%20e"
    assert entry.csl["DOI"] == "10.1/x_y"


def test_fields_csl_has_no_place_for_are_kept() -> None:
    entry = single_entry(r"@article{a, title={T}, eprint={2101.00001}, archiveprefix={arXiv}, mrnumber={{M}\x}}")
    assert entry.csl["custom"]["bibtex"] == {"eprint": "2101.00001", "archiveprefix": "arXiv", "mrnumber": r"{M}\x"}


def test_an_unclosed_brace_costs_one_entry() -> None:
    reading = read(GOOD % 1 + "@article{bad, title = {Never closed,\n year = 2020}\n" + GOOD % 2)
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]
    (problem,) = reading.problems
    assert (problem.line, problem.key) == (2, "bad")
    assert "not closed" in problem.message


def test_an_entry_cut_off_at_the_end_of_the_file_is_named() -> None:
    reading = read(GOOD % 1 + "@article{bad, title = {Cut of")
    assert [entry.key for entry in reading.entries] == ["good1"]
    assert [(problem.line, problem.key) for problem in reading.problems] == [(2, "bad")]


def test_a_missing_comma_between_fields_is_put_in_and_told() -> None:
    reading = read("@article{a,\n title = {Alder}\n year = 2021\n}")
    assert reading.entries[0].csl["title"] == "Alder"
    assert reading.entries[0].csl["issued"] == {"date-parts": [[2021]]}
    (problem,) = reading.problems
    assert problem.line == 2
    assert "comma is missing after the field “title”" in problem.message


def test_a_missing_comma_after_the_key_is_told() -> None:
    reading = read("@article{bad\n title = {Alder}}\n" + GOOD % 1)
    assert [entry.key for entry in reading.entries] == ["bad", "good1"]
    assert [(problem.line, problem.key, problem.text) for problem in reading.problems] == [(1, "bad", "")]


def test_the_first_of_two_entries_with_one_key_is_kept() -> None:
    reading = read(GOOD % 1 + "@book{good1, title = {Another}}\n" + GOOD % 2)
    assert [entry.csl["title"] for entry in reading.entries] == ["Alder roots", "Alder roots"]
    (problem,) = reading.problems
    assert (problem.line, problem.key) == (2, "good1")
    assert "already used in line 1" in problem.message


def test_a_repeated_field_keeps_the_first_and_the_entry() -> None:
    reading = read("@article{a, title = {First}, title = {Second}}")
    assert reading.entries[0].csl["title"] == "First"
    assert "appears twice" in reading.problems[0].message


def test_a_brace_too_many_is_told() -> None:
    reading = read("@article{a, title = {Alder}}, year = {2020} }\n" + GOOD % 1)
    assert [entry.key for entry in reading.entries] == ["a", "good1"]
    assert [(problem.key, "extra brace" in problem.message) for problem in reading.problems] == [("a", True)]


def test_an_empty_file_is_no_error_here() -> None:
    assert read("") == Reading([], [])
    assert read("\ufeff" + GOOD % 1).entries[0].key == "good1"


def test_an_endless_entry_is_left_out_quickly() -> None:
    reading = read("@article{long, title = {x}" + " # {y}" * 100_000 + "}\n" + GOOD % 1)
    assert [entry.key for entry in reading.entries] == ["good1"]
    assert "longer than 300,000" in reading.problems[0].message


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (r"On \href{https://x.org/a_b~c%20}{X \emph{y}} and more", "On X y and more"),
        (r"On \href{https://x.org}", "On https://x.org"),
        (r"On \href", "On"),
        (r"See \url{https://x.org/a_b~c%20}", "See https://x.org/a_b~c%20"),
        (r"See \url", "See"),
        (r"Half \frac", "Half"),
        (r"Root \sqrt", "Root"),
        (r"Root \sqrt{2} and \frac{1}{2}", "Root √(2) and 1/2"),
    ],
)
def test_commands_with_and_without_their_arguments(written: str, title: str) -> None:
    assert single_entry(f"@misc{{a, title = {{{written}}}}}").csl["title"] == title


@pytest.mark.parametrize("title", [r"\verb", "{" * 2_000 + r"\x" + "}" * 2_000])
def test_what_stops_the_latex_reader_costs_one_entry(title: str) -> None:
    """SPEC C10."""
    reading = read(GOOD % 1 + f"@misc{{bad, title = {{{title}}}}}\n" + GOOD % 2)
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]
    (problem,) = reading.problems
    assert (problem.line, problem.key) == (2, "bad")
    assert "cannot be read" in problem.message


LATEX = st.lists(
    st.sampled_from(
        [
            *(rf"\{name}" for name in ["href", "url", "frac", "sqrt", "verb", "begin{a}", "emph", "'", "[", "$"]),
            *"{}[]$%& a#@,=",
        ]
    )
)


@given(LATEX)
@example([r"\href", "{", "a", "}"])
@settings(deadline=None)
def test_no_latex_breaks_an_import(parts: list[str]) -> None:
    reading = read(GOOD % 1 + f"@misc{{odd, title = {{{''.join(parts)}}}, author = {{{' '.join(parts)}}}}}\n")
    assert reading.entries[0].key == "good1"


@pytest.mark.timeout(HANGS)
def test_strings_that_multiply_are_refused() -> None:
    """1 KB that would become 100 MB."""
    bomb = '@string{s0 = "' + "x" * 100 + '"}\n'
    bomb += "".join(f"@string{{s{n} = {' # '.join([f's{n - 1}'] * 10)}}}\n" for n in range(1, 7))
    reading = read(bomb + "@misc{big, title = s2 # s2}\n@misc{fits, title = s1}\n" + GOOD % 1)
    assert [entry.key for entry in reading.entries] == ["fits", "good1"]
    assert max(len(entry.csl["title"]) for entry in reading.entries) == 1_000
    assert [problem.key for problem in reading.problems] == ["s3", "big"]
    assert all("longer than 10,000" in problem.message for problem in reading.problems)


def test_a_long_string_is_refused_and_named() -> None:
    reading = read('@string{s = "' + "x" * (MAX_ENTRY + 1) + '"}\n@misc{a, title = {T}}')
    assert [entry.key for entry in reading.entries] == ["a"]
    assert [(problem.line, problem.key) for problem in reading.problems] == [(1, "s")]
    assert "This @string was left out" in reading.problems[0].message


@pytest.mark.long
def test_many_long_strings_and_many_uses_of_one_are_bounded() -> None:
    string = '@string{s%d = "' + "x" * 9_000 + '"}\n'
    reading = read("".join(string % number for number in range(120)) + "@misc{a, title = {T}}")
    assert [entry.key for entry in reading.entries] == ["a"]
    assert [problem.message for problem in reading.problems] == [
        "The @strings of this file are too long. The rest was left out."
    ]
    reading = read(string % 1 + "".join(f"@misc{{k{number}, title = s1}}\n" for number in range(600)))
    assert 500 < len(reading.entries) < 600
    assert len(reading.entries) + len(reading.problems) == 600
    assert read(string % 1 + "@misc{a, title = s1, note = s1}").entries == []
