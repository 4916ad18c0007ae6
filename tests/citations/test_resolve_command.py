"""`manage.py resolve_citations FILE.bib` prints a line for each entry of a file (DESIGN.md, "Commands")."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from citations.formats.bibtex import write_bibtex
from tests.citations.real_works import WORKS, entry
from tests.citations.resolve_entries import HKSJ, INVENTED, ROB2
from tests.servers.failing_registry import Troubled

pytestmark = pytest.mark.django_db(transaction=True)  # the command works in threads of its own
FIELDS = {"key", "status", "tier", "doi", "pmid", "matched", "diff", "retraction", "reason", "repair"}


@pytest.fixture
def registries(settings: Any) -> Iterator[Troubled]:
    with Troubled(list(WORKS.values())) as one:
        one.serve(settings)
        yield one


def written(csl: dict[str, Any], key: str) -> str:
    return write_bibtex(csl, key, reference_manager=True)


def run(path: Path, *more: str) -> tuple[list[str], str]:
    """The lines of the result, and what was said of the progress."""
    out, err = StringIO(), StringIO()
    call_command("resolve_citations", str(path), *more, stdout=out, stderr=err)
    return out.getvalue().splitlines(), err.getvalue()


@pytest.fixture
def references(tmp_path: Path) -> Path:
    path = tmp_path / "references.bib"
    entries = (
        written(entry(WORKS["mehra"], PMID=None), "mehra"),
        written({**INVENTED, "DOI": "10.99999/none"}, "invented"),
        written(entry(HKSJ, DOI=ROB2.doi, PMID=None), "wrong"),
        "@article{unclosed, title = {Never closed,\n\n",
        written(entry(HKSJ, PMID=None), "right"),
        written(entry(ROB2, PMID=None), "right"),
    )
    path.write_text("\n".join(entries))
    return path


def test_each_entry_gets_a_line_in_the_order_of_the_file(registries: Troubled, references: Path) -> None:
    out, err = run(references)
    lines = [json.loads(line) for line in out]
    assert [(line["key"], line["status"], line["tier"]) for line in lines] == [
        ("mehra", "verified", "A"),
        ("invented", "not_found", "D"),
        ("wrong", "conflict", "D"),
        ("unclosed", "unreadable", None),
        ("right", "verified", "A"),
        ("right", "unreadable", None),
    ]
    assert all(set(line) == FIELDS for line in lines)
    assert "4 of 4 entries" in err
    retracted, invented, wrong, unclosed, right, _ = lines
    assert retracted["retraction"]["type"] == "retraction"
    assert (invented["doi"], invented["matched"], invented["diff"]) == ("10.99999/none", None, [])
    assert wrong["repair"] == {"doi": HKSJ.doi, "title": HKSJ.title}
    assert {"field": "title", "claimed": HKSJ.title, "found": ROB2.title, "agrees": False} in wrong["diff"]
    assert unclosed["reason"].startswith("Line ")
    assert right["doi"] == HKSJ.doi
    assert (right["matched"]["title"], right["matched"]["source"]) == (HKSJ.title, "crossref")


def test_as_text(registries: Troubled, references: Path) -> None:
    out, _ = run(references, "--format", "text")
    assert len(out) == 6
    assert out[0].startswith("mehra: verified, tier A. Crossref knows this DOI")
    assert out[0].endswith("Notice: retraction.")
    assert out[1].startswith("invented: not found, tier D. No work with this title")
    assert out[3].startswith("unclosed: unreadable. Line ")


def test_services_that_are_down_are_no_failure_of_the_command(registries: Troubled, references: Path) -> None:
    registries.down = True
    out, _ = run(references)
    known = [json.loads(line) for line in out]
    assert {line["status"] for line in known} == {"unresolved", "unreadable"}
    assert all("Crossref" in line["reason"] for line in known if line["status"] == "unresolved")


def test_ris_is_read_too(registries: Troubled, tmp_path: Path) -> None:
    path = tmp_path / "references.ris"
    path.write_text(f"TY  - JOUR\nTI  - {HKSJ.title}\nAU  - IntHout, Joanna\nPY  - 2014\nDO  - {HKSJ.doi}\nER  - \n")
    out, _ = run(path)
    assert [json.loads(line)["tier"] for line in out] == ["A"]


@pytest.mark.parametrize("text", ["", "Nothing that looks like an entry.", "% only a comment\n"])
def test_a_file_without_entries_is_bad_usage(registries: Troubled, tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.bib"
    path.write_text(text)
    with pytest.raises(CommandError, match="has no entries") as refused:
        run(path)
    assert refused.value.returncode == 2


def test_a_file_that_is_not_there_is_bad_usage(registries: Troubled, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.bib", tmp_path):
        with pytest.raises(CommandError, match="cannot be read") as refused:
            run(path)
        assert refused.value.returncode == 2
    assert registries.asked == []
