"""Works at random through BibTeX, RIS and CSL JSON: nothing that tells a work is lost (SPEC C5, C10)."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citations.formats.biblatex_writer import write_biblatex
from citations.formats.bibtex import write_bibtex
from citations.formats.reading import Csl
from citations.formats.ris_reader import read_ris
from citations.formats.ris_writer import write_ris
from tests.citations.exchange_entries import out, single_entry

# Property: nothing that tells a work is lost, and a second round changes nothing

WORD = st.sampled_from(
    ["Alder", "soil", "DNA", "Kenya", "and", "of", "COVID-19", "50% & more", "{x}", "Über", "α", "a_b"]
)
WORDS = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
NAMES = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"family": st.sampled_from(["Roe", "Dyke", "O'Neil"]), "given": st.sampled_from(["J.", "Ana B."])}
        ),
        st.fixed_dictionaries({"literal": st.sampled_from(["World Health Organization", "Forest and Soil Group"])}),
    ),
    min_size=1,
    max_size=4,
)
KINDS = st.sampled_from(
    [
        "article-journal",
        "paper-conference",
        "book",
        "chapter",
        "thesis",
        "report",
        "webpage",
        "dataset",
        "software",
        "document",
    ]
)
WORKS = st.fixed_dictionaries(
    {
        "type": KINDS,
        "title": WORDS,
        "author": NAMES,
        "issued": st.integers(1900, 2030).map(lambda year: {"date-parts": [[year]]}),
    },
    optional={
        "container-title": WORDS,
        "page": st.sampled_from(["1-9", "e12", "12"]),
        "DOI": st.sampled_from(["10.1000/a_b", "10.1000/x(1)"]),
        "publisher": WORDS,
        "editor": NAMES,
    },
)
TELLING = ("type", "title", "author", "container-title", "issued", "page", "DOI")


def telling_fields(csl: Csl) -> dict[str, Any]:
    return {name: csl.get(name) for name in TELLING}


@given(WORKS)
@settings(deadline=None)
def test_a_work_survives_every_format(csl: Csl) -> None:
    bibtex = write_bibtex(csl, "k", reference_manager=True)
    assert telling_fields(single_entry(bibtex).csl) == telling_fields(csl)
    assert out(single_entry(bibtex)) == bibtex
    ris = write_ris(csl, "k")
    assert telling_fields(read_ris(ris).entries[0].csl) == telling_fields(csl) | {
        "type": read_ris(ris).entries[0].csl["type"]
    }
    assert write_ris(read_ris(ris).entries[0].csl, "k") == ris
    biblatex = write_biblatex(csl, "k")
    back = single_entry(biblatex)
    assert telling_fields(back.csl)["title"] == csl["title"]
    assert telling_fields(back.csl)["author"] == csl["author"]
    assert write_biblatex({**back.csl, "note": back.note}, "k") == biblatex


RAW = st.builds(
    lambda kind, title, container, names, more: f"@{kind}{{k, title={title}, {container}={{{names}}}{more}}}",
    st.sampled_from(
        [
            "article",
            "inproceedings",
            "incollection",
            "inbook",
            "proceedings",
            "mastersthesis",
            "online",
            "misc",
            "manual",
            "report",
        ]
    ),
    st.sampled_from(
        ["{Alder in Kenya}", "{{Alder in Kenya}}", "{The {DNA} of alder}", '"A title"', "{}", "{{{Deep}}}"]
    ),
    st.sampled_from(["journal", "booktitle", "howpublished", "organization", "school", "journaltitle"]),
    st.sampled_from(["Forest Letters", "{Forest} Letters", "Letters \\& more"]),
    st.sampled_from(
        [
            "",
            ", year=2020",
            ", author={Roe, Jane and others}",
            ", number={3}, eid={e9}",
            ", doi={10.1/a}",
            ", type={PhD thesis}",
        ]
    ),
)


@given(RAW)
@settings(deadline=None)
def test_what_is_exported_is_exported_again_alike(text: str) -> None:
    entry = single_entry(text)
    once = out(entry)
    assert out(single_entry(once)) == once
    assert {**single_entry(once).csl, "custom": None} == {**entry.csl, "custom": None}
    latex = write_biblatex({**entry.csl, "note": entry.note}, "k")
    again = single_entry(latex)
    assert write_biblatex({**again.csl, "note": again.note}, "k") == latex
