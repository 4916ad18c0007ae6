"""What goes out as BibTeX comes back (SPEC C3, R14), whatever is in a title or a name."""

import unicodedata
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from citations.formats.bibtex import read_bibtex, write_bibtex
from latex.bibtex_unicode import to_latex, to_unicode

SPECIAL = st.sampled_from(list("\\{}$&%#_~^@,\"'`-=<>()[]?!|/*;:. ")) | st.sampled_from(
    [
        "--",
        "---",
        "``",
        "''",
        " and ",
        "and",
        " others",
        "van ",
        "COVID-19",
        "\\alpha",
        "@article{x,",
        "é",
        "Ø",
        "ß",
        "漢字",
    ]
)
ANY = st.characters(exclude_categories=("Cc", "Cs", "Cn", "Co", "Zl", "Zp", "Zs", "Cf", "Mn", "Me", "Mc"))
WORDS = st.lists(SPECIAL | ANY, min_size=1, max_size=24).map(lambda parts: " ".join("".join(parts).split()))
TEXT = WORDS.filter(bool).map(lambda text: unicodedata.normalize("NFC", text))
NAME = st.one_of(
    st.fixed_dictionaries({"family": TEXT}, optional={"given": TEXT, "suffix": TEXT}),
    st.fixed_dictionaries({"family": TEXT, "non-dropping-particle": st.sampled_from(["van", "de la", "von der"])}),
    st.fixed_dictionaries({"literal": TEXT}),
)


@given(TEXT)
@example("a -- b --- c `` '' ?` << {x} 50% $5 \\alpha ~ ^ \\")
@settings(deadline=None)
def test_text_survives_latex(text: str) -> None:
    latex = to_latex(text)
    assert to_unicode(latex) == text
    assert latex.count("{") == latex.count("}")


@given(title=TEXT, names=st.lists(NAME, min_size=1, max_size=4), note=TEXT, others=st.booleans())
@example(title="@article{x,", names=[{"family": "others"}], note="@misc{y, title={z}}", others=False)
@example(title="T", names=[{"family": "van Dyke", "given": "a, b"}, {"literal": "\\x and y"}], note="n", others=True)
@settings(deadline=None)
def test_an_entry_survives(title: str, names: list[dict[str, str]], note: str, others: bool) -> None:
    csl: dict[str, Any] = {"type": "article-journal", "title": title, "author": names}
    if others:
        csl["custom"] = {"others": True}
    reading = read_bibtex(write_bibtex({**csl, "note": note}, "key2020", reference_manager=True))
    assert reading.problems == []
    (entry,) = reading.entries
    assert entry.csl == csl
    assert entry.note == note


def test_every_kind_of_entry_survives() -> None:
    kinds = "article-journal article-newspaper paper-conference book chapter thesis report manuscript pamphlet webpage"
    for kind in [*kinds.split(), "software", "dataset", "article", "document", "motion_picture", "post-weblog"]:
        csl = {
            "type": kind,
            "title": "Alder in R: COVID-19 & more",
            "author": [{"family": "Menon", "given": "Asha"}],
            "editor": [{"literal": "Forest Group"}],
            "container-title": "Forest Ecology",
            "volume": "12",
            "issue": "3",
            "number": "e9",
            "page": "10-19",
            "publisher": "Wood Press",
            "publisher-place": "Bergen",
            "edition": "2",
            "genre": "MSc thesis",
            "issued": {"date-parts": [[2021, 3, 4]]},
            "accessed": {"date-parts": [[2022, 1]]},
            "DOI": "10.1002/(SICI)1521-3951(199911)216:1<135::AID-PSSB135>3.0.CO;2-#",
            "PMID": "123",
            "ISBN": "978-1-119-53662-8",
            "URL": "https://example.org/a_b~c?d=e&f=%20#g",
            "custom": {"others": True, "retracted": True, "bibtex": {"eprint": "2101.1", "file": r"a{b}\c.pdf"}},
        }
        reading = read_bibtex(write_bibtex(csl, "k", reference_manager=True))
        assert reading.problems == []
        assert reading.entries[0].csl == csl, kind


def test_ranges_and_words_for_dates_survive() -> None:
    for date in ({"date-parts": [[2020, 1], [2020, 2]]}, {"literal": "in press"}, {"date-parts": [[2020]]}):
        csl = {"type": "book", "title": "T", "issued": date}
        assert read_bibtex(write_bibtex(csl, "k", reference_manager=True)).entries[0].csl == csl


def test_a_build_has_no_doi_and_a_reference_manager_has() -> None:
    """SPEC C3: underscores of a DOI break vancouver.bst."""
    csl = {"type": "article-journal", "title": "T", "DOI": "10.1/a_b", "PMID": "1", "URL": "https://example.org"}
    assert "doi" not in write_bibtex(csl, "k", reference_manager=False)
    written = write_bibtex(csl, "k", reference_manager=True)
    assert all(line in written for line in ("doi = {10.1/a_b}", "pmid = {1}", "url = {https://example.org}"))


def test_foreign_fields_cannot_break_out_of_an_entry() -> None:
    """`custom` of a CSL item may come from anywhere."""
    evil = {"x": "} }\n@article{injected, title={y}", "y": "{", "Bad Name": "z", "z": 3, "w": "\n@misc{q,"}
    reading = read_bibtex(write_bibtex({"title": "T", "custom": {"bibtex": evil}}, "k", reference_manager=True))
    assert [entry.key for entry in reading.entries] == ["k"]
    assert reading.problems == []
