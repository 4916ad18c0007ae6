"""Two references that are one work: found, and merged on request with nothing lost (SPEC C5)."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from citations.audit.audit import audit_project
from citations.editing.duplicates import evidence_for, find_duplicates, merge
from citations.models import Citation, OtherKey
from core.errors import Refused
from projects.models import Project, User
from research.models import Source
from research.search.library_index import index_references
from tests.citations.checked_rows import cite
from tests.people import signed_in

TITLE = "Alder and soil nitrogen"


def reference(project: Project, key: str, **columns: Any) -> Citation:
    """A reference with these columns; its CSL says the same."""
    names = {"title": "title", "doi": "DOI", "pmid": "PMID"}
    csl = {"type": "article-journal"} | {names[name]: columns[name] for name in names if columns.get(name)}
    if columns.get("authors"):
        csl["author"] = [{"family": columns["authors"]}]
    if columns.get("year"):
        csl["issued"] = {"date-parts": [[columns["year"]]]}
    csl |= columns.pop("csl", {})
    serial = Citation.objects.next_serial(project)
    row: Citation = Citation.objects.create(project=project, cite_key=key, serial=serial, csl=csl, **columns)
    return row


def two(project: Project) -> tuple[Citation, Citation]:
    """One work, typed by DOI and by PMID while nobody answered; later one of them was proven."""
    proven = reference(
        project, "menon2021", title=TITLE, authors="Menon", year=2021, doi="10.1000/alder", status="verified", tier="A",
        evidence_type="doi", source_doi="10.1000/ALDER", source_pmid="321", claimed={"DOI": "10.1000/alder"},
    )  # fmt: skip
    typed = reference(
        project, "ref2", pmid="321", status="unresolved", bibtex="@article{ref2, pmid={321}}", note="Read in March.",
        csl={"volume": "7", "keyword": "nitrogen"},
    )  # fmt: skip
    return proven, typed


def keys(project: Project) -> list[tuple[str, str]]:
    return [(pair.kept.cite_key, pair.merged.cite_key) for pair in find_duplicates(project)]


def test_by_doi_pmid_and_by_title_year_and_author(project: Project) -> None:
    two(project)
    reference(project, "a", title="Birch pollen in spring", authors="Lund and Roe", year=2020)
    reference(project, "b", title="Birch Pollen in Spring", authors="Lund", year=2020, doi="10.1000/birch", tier="")
    assert keys(project) == [("menon2021", "ref2"), ("b", "a")]
    assert [pair.evidence for pair in find_duplicates(project)] == [
        ["Both have the PMID 321."],
        ["Title, year and first author are the same."],
    ]


@pytest.mark.parametrize(
    "columns",
    [
        {"title": TITLE, "authors": "Menon", "year": 2021, "doi": "10.1000/preprint"},
        {"title": TITLE, "authors": "Menon", "year": 2021, "pmid": "999"},
        {"title": "Birch pollen in spring", "authors": "Lund", "year": 2020, "doi": "10.1000/alder"},
        {"title": TITLE, "authors": "Lund", "year": 2021},
        {"title": TITLE, "authors": "Menon", "year": 2019},
        {"title": TITLE, "authors": "", "year": 2021},
        {"title": TITLE, "authors": "Menon", "year": 2021, "doi": "10.1000/other", "status": "conflict", "tier": "D"},
    ],
)
def test_two_works_are_no_pair(project: Project, owner: User, columns: dict[str, Any]) -> None:
    one, typed = two(project)
    typed.delete()
    other = reference(project, "other", **columns)
    assert keys(project) == []
    with pytest.raises(Refused) as refused:
        merge(project, owner, one.pk, other.pk)
    assert refused.value.code == "not_one_work"
    assert Citation.objects.count() == 2


def test_editorials_are_no_pairs(project: Project) -> None:
    for number in range(5):
        reference(project, f"e{number}", title="Editorial", authors="Menon", year=2021)
    assert keys(project) == []


def test_merging_loses_nothing(project: Project, owner: User) -> None:
    proven, typed = two(project)
    cite(project, "Introduction", "ref2", "menon2021")
    typed.notices.create(type="retraction", doi="10.1000/notice", source="pubmed")
    proven.notices.create(type="retraction", doi="10.1000/notice", source="pubmed")
    OtherKey.objects.create(project=project, citation=typed, key="older")
    text = project.sections.get(title="Introduction").latex
    assert [one.entry.key for one in audit_project(project).unproven] == ["ref2"]

    kept = merge(project, owner, typed.pk, proven.pk)

    assert (kept.pk, kept.cite_key, kept.status, kept.tier) == (proven.pk, "menon2021", "verified", "A")
    kept.refresh_from_db()
    assert (kept.csl["volume"], kept.csl["keyword"], kept.csl["title"]) == ("7", "nitrogen", TITLE)
    assert (kept.bibtex, kept.note) == ("@article{ref2, pmid={321}}", "Read in March.")
    assert kept.notices.count() == 1
    assert {one.key for one in kept.other_keys.all()} == {"ref2", "older"}
    was = kept.other_keys.get(key="ref2")
    assert (was.bibtex, was.merged["csl"]["PMID"], was.merged["status"]) == (typed.bibtex, "321", "unresolved")
    found = audit_project(project)
    assert (found.missing, found.unproven, found.integrity_score) == ([], [], 100)
    assert project.sections.get(title="Introduction").latex == text
    assert keys(project) == []


def test_an_unproven_identifier_does_not_come_into_a_proven_work(project: Project, owner: User) -> None:
    proven = reference(project, "a", title=TITLE, authors="Menon", year=2021, status="verified", tier="A")
    typed = reference(project, "b", title=TITLE, authors="Menon", year=2021, pmid="999")
    kept = merge(project, owner, proven.pk, typed.pk)
    assert (kept.pmid, "PMID" in kept.csl, kept.tier) == ("", False, "A")
    assert kept.other_keys.get().merged["csl"]["PMID"] == "999"


def test_what_an_unproven_work_gains_is_looked_up(project: Project, owner: User) -> None:
    one = reference(project, "a", title=TITLE, authors="Menon", year=2021, status="review", doi="10.1000/alder")
    other = reference(project, "b", title=TITLE, authors="Menon", year=2021, pmid="321")
    kept = merge(project, owner, one.pk, other.pk)
    assert (kept.cite_key, kept.pmid, kept.status) == ("a", "321", "unresolved")
    assert kept.check_due_at is not None


def test_what_a_person_vouched_for_stays(project: Project, owner: User) -> None:
    attested = reference(
        project, "a", title=TITLE, authors="Menon", year=2021, status="attested", tier="C", attestation="I hold it."
    )
    other = reference(project, "b", title=TITLE, authors="Menon", year=2021, status="not_found", tier="D")
    other.csl["volume"] = "9"
    other.save()
    kept = merge(project, owner, attested.pk, other.pk)
    assert (kept.cite_key, kept.tier, kept.attestation, "volume" in kept.csl) == ("a", "C", "I hold it.", False)


def test_an_attestation_of_the_other_moves(project: Project, owner: User) -> None:
    proven, typed = two(project)
    Citation.objects.filter(pk=typed.pk).update(
        status="attested", tier="C", attestation="I hold it.", attested_by=owner, attested_at=proven.created_at
    )
    kept = merge(project, owner, proven.pk, typed.pk)
    assert (kept.status, kept.attestation, kept.attested_by) == ("verified", "I hold it.", owner)


def test_passages_of_both_are_found_as_one(project: Project, owner: User) -> None:
    proven, typed = two(project)
    index_references(project)
    merge(project, owner, proven.pk, typed.pk)
    index_references(project)
    assert list(project.passages.values_list("source_id", flat=True)) == ["menon2021"]


def test_every_row_that_points_to_a_reference_moves() -> None:
    """A model that comes later and points to references is moved too: `merge` asks the models, and these do."""
    names = {relation.related_model for relation in Citation._meta.related_objects}
    assert Source in names
    assert OtherKey in names


def test_the_page(project: Project, owner: User, reader: User) -> None:
    proven, typed = two(project)
    address = reverse("citations:duplicates", args=[project.pk])
    hint = signed_in(reader).get(reverse("citations:duplicates_hint", args=[project.pk])).content.decode()
    assert "2 references may be the same work." in hint
    shown = signed_in(reader).get(address).content.decode()
    assert "Both have the PMID 321." in shown
    assert "Merge" not in shown.replace("Merged into it", "").replace("Merging", "")
    both = {"citation": [str(proven.pk), str(typed.pk)]}
    assert signed_in(reader).post(address, both).status_code == 403
    client = signed_in(owner)
    assert client.post(address, {"citation": ["x", "y"]}).status_code == 404
    response = client.post(address, both, follow=True)
    assert "The text may cite menon2021 by either key." in response.content.decode()
    assert "No two references look like the same work." in response.content.decode()
    assert client.post(address, both).status_code == 404
    detail = client.get(reverse("citations:detail", args=[project.pk, proven.pk])).content.decode()
    assert "Also cited as" in detail
    assert "BibTeX imported as ref2" in detail


def test_the_api(project: Project, owner: User, supervisor: User) -> None:
    proven, typed = two(project)
    base = f"/api/projects/{project.pk}/citations"
    (pair,) = signed_in(supervisor).get(f"{base}/duplicates").json()
    assert (pair["kept"]["cite_key"], pair["merged"]["id"]) == ("menon2021", str(typed.pk))
    body = {"citations": [str(typed.pk), str(proven.pk)]}
    refused = signed_in(supervisor).post(f"{base}/merge", body, content_type="application/json")
    assert refused.status_code == 403
    merged = signed_in(owner).post(f"{base}/merge", body, content_type="application/json")
    assert (merged.status_code, merged.json()["other_keys"]) == (200, ["ref2"])


def test_the_command(project: Project, owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    two(project)
    call_command("merge_citations", str(project.pk))
    assert capsys.readouterr().out == "menon2021 ref2: Both have the PMID 321.\n"
    call_command("merge_citations", str(project.pk), "ref2", "menon2021")
    assert capsys.readouterr().out == "menon2021 can now be cited as ref2 too.\n"
    with pytest.raises(CommandError, match="no reference with the key ref2"):
        call_command("merge_citations", str(project.pk), "ref2", "menon2021")


ROWS = st.builds(
    Citation,
    title=st.sampled_from(["", TITLE, "Alder and soil nitrogen: a trial", "Birch pollen in spring"]),
    authors=st.sampled_from(["", "Menon", "Lund and Roe"]),
    year=st.sampled_from([None, 2020, 2021]),
    doi=st.sampled_from(["", "10.1/a", "10.1/b"]),
    pmid=st.sampled_from(["", "1", "2"]),
    source_doi=st.sampled_from(["", "10.1/A"]),
    status=st.sampled_from(["verified", "unresolved", "conflict"]),
)


@given(ROWS, ROWS)
def test_evidence_is_the_same_both_ways_and_never_against_identifiers(one: Citation, other: Citation) -> None:
    evidence = evidence_for(one, other)
    assert evidence == evidence_for(other, one)
    if evidence and one.doi and other.doi and not one.source_doi and not other.source_doi:
        assert one.doi == other.doi
