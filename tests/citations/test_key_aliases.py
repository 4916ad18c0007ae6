"""One work under two keys: whatever brought the second key, both stand for one reference everywhere (SPEC C7, T5)."""

import io
import zipfile
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from citations.audit.audit import audit_project
from citations.audit.key_uses import times_cited, uses_by_key
from citations.editing.edit import rename
from citations.formats.bibtex import read_bibtex
from citations.importing.add_references import add, import_draft
from citations.importing.file_import import import_entries
from citations.importing.stored_file_entries import import_chosen
from citations.key_aliases import replace_aliases, resolve_aliases
from citations.models import Citation, OtherKey
from core.errors import Refused
from projects.models import Project, User
from sections.models import ThesisFile
from tests.citations.checked_rows import cite
from tests.people import signed_in
from thesis.assembly.assemble import assemble
from thesis.manuscript_data import manuscript_of
from thesis.pandoc_ast.text_order import text_of
from thesis.preflight import blocking
from thesis.preview.page_data import pages_of
from thesis.project_export import write_source
from thesis.word.references import works_of

A = "@article{a, title={Alder and soil nitrogen}, author={Menon, Asha}, year=2021, doi={10.1000/alder}}\n"
B = "@article{b, title={Alder and Soil Nitrogen}, author={Menon, A.}, year=2021, doi={10.1000/ALDER}}\n"
NO_DOI = "@article{b, title={Alder and soil nitrogen}, author={Menon, Asha}, year=2021}\n"
OTHER = "@article{b, title={Birch pollen in spring}, author={Lund, Oskar}, year=2020, doi={10.1000/birch}}\n"


def proven(project: Project, bibtex: str = A) -> Citation:
    import_entries(project, bibtex)
    Citation.objects.filter(project=project).update(status="verified", tier="A")
    return Citation.objects.get(project=project)


def is_one_work_everywhere(project: Project, main: str = "a", other: str = "b") -> None:
    """Every place that reads keys takes `other`, which the text cites alone, for `main`."""
    found = audit_project(project)
    assert (found.missing, found.orphaned, found.integrity_score) == ([], [], 100)
    assert list(uses_by_key(Project.objects.get(pk=project.pk))) == [main]
    assert not [one for one in blocking(project) if one.kind == "missing_key"]
    manuscript = manuscript_of(project)
    made = assemble(manuscript)
    assert made.undefined == []
    assert made.stripped == []
    assert made.files["references.bib"].decode().count("@article") == 1
    assert "\\cite{" + main + "}" in b"".join(made.files[path] for path in made.chapter_paths.values()).decode()
    shown = pages_of(manuscript)
    assert shown.references is not None
    assert (list(shown.references.works), shown.references.unknown) == ([main], [])
    assert list(works_of(manuscript, text_of(manuscript)).by_key) == [main]


@pytest.fixture
def thesis(project: Project) -> Project:
    proven(project)
    cite(project, "Introduction", "b")
    return project


def test_a_key_that_nothing_has_is_missing(thesis: Project) -> None:
    found = audit_project(thesis)
    assert [one.key for one in found.missing] == ["b"]
    assert [one.kind for one in blocking(thesis) if one.kind == "missing_key"] == ["missing_key"]


@pytest.mark.parametrize("entry", [B, NO_DOI])
def test_a_key_that_a_trailer_has(thesis: Project, entry: str) -> None:
    section = thesis.sections.get(title="Introduction")
    section.latex += f"\n\n%%% BIBTEX %%%\n{entry}"
    section.save()
    is_one_work_everywhere(thesis)


def test_a_key_that_an_uploaded_file_has(thesis: Project) -> None:
    file = ThesisFile(project=thesis, path="old/refs.bib", kind=ThesisFile.Kind.OTHER)
    file.blob.save("refs.bib", ContentFile(b"@string{m = {Menon, A.}}\n" + B.encode()), save=False)
    file.save()
    is_one_work_everywhere(thesis)


def test_a_key_of_an_import(thesis: Project) -> None:
    imported = import_entries(thesis, B)
    assert [one.message for one in imported.by_outcome["kept"]] == [
        "The same work already exists as a. The entry was left out. The text may cite it by this key too."
    ]
    assert OtherKey.objects.get().bibtex.strip() == B.strip(), "what was imported is kept"
    is_one_work_everywhere(thesis)
    assert import_entries(thesis, B).added == []
    assert OtherKey.objects.count() == 1


def test_a_key_of_a_file_whose_entries_were_chosen(thesis: Project) -> None:
    brought = import_chosen(thesis, read_bibtex(B).entries)
    assert brought.skipped[0].why.endswith("same DOI. The text may cite it as b too.")
    is_one_work_everywhere(thesis)


def test_two_keys_in_one_file(project: Project) -> None:
    import_entries(project, A + B)
    Citation.objects.update(status="verified", tier="A")
    cite(project, "Introduction", "b")
    is_one_work_everywhere(project)


def test_a_key_that_was_pasted(thesis: Project, owner: User) -> None:
    (added,) = add(thesis, owner, bibtex_entry=B)
    assert (added.existing, added.note) == (True, "Already in your references as a. The text may cite it as b too.")
    is_one_work_everywhere(thesis)


def test_the_source_has_an_entry_for_each_key_that_the_text_cites(thesis: Project) -> None:
    import_entries(thesis, B)
    ThesisFile.objects.create(
        project=thesis, path="main.tex", kind=ThesisFile.Kind.OTHER, is_main=True, pieces=[{"text": "x"}]
    )
    made = io.BytesIO()
    write_source(thesis, made)
    with zipfile.ZipFile(made) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".bib")]
        assert "@article{b," in archive.read(name).decode()


def test_both_keys_in_one_text(thesis: Project) -> None:
    import_entries(thesis, B)
    cite(thesis, "Results", "a", "b", "b")
    used = uses_by_key(Project.objects.get(pk=thesis.pk))["a"]
    assert [(one.title, one.count) for one in used] == [("Introduction", 1), ("Results", 3)]
    assert times_cited(thesis)["a"] == 4
    assert audit_project(thesis).total_cite_commands == audit_project(thesis).backed_commands


def test_a_work_of_tier_d_does_not_come_back_under_another_key(thesis: Project) -> None:
    Citation.objects.update(status="not_found", tier="D")
    import_entries(thesis, B)
    assert [one.entry.key for one in audit_project(thesis).blocking] == ["a"]
    assert [one.kind for one in blocking(thesis) if one.kind == "unproven"] == ["unproven"]
    made = assemble(manuscript_of(thesis))
    assert [one.key for one in made.stripped] == ["b"]
    assert b"Alder" not in made.files["references.bib"]


def test_an_invented_entry_under_a_proven_doi_is_not_that_work(thesis: Project) -> None:
    section = thesis.sections.get(title="Introduction")
    section.latex += f"\n\n%%% BIBTEX %%%\n{OTHER.replace('birch', 'alder')}"
    section.save()
    assert [one.key for one in audit_project(thesis).missing] == ["b"]


def test_another_work_under_a_key_that_is_taken_gets_its_own(thesis: Project) -> None:
    import_entries(thesis, B)
    imported = import_entries(thesis, OTHER)
    assert imported.added == ["bb"]
    assert (
        imported.by_outcome["repaired"][0].message
        == "This key already stands for another work, a. It was imported as bb."
    )
    assert [one.key for one in audit_project(thesis).missing] == []


def test_a_draft_cites_by_the_main_key(thesis: Project, owner: User) -> None:
    import_entries(thesis, B)
    drafted = import_draft(thesis, owner, f"Alder \\cite{{b}}.\n\n%%% BIBTEX %%%\n{B}")
    assert drafted.latex == "Alder \\cite{a}.\n"


def test_a_key_is_that_of_one_work(thesis: Project, owner: User) -> None:
    import_entries(thesis, B + OTHER.replace("{b,", "{c,"))
    other = Citation.objects.get(cite_key="c")
    with pytest.raises(Refused) as refused:
        rename(other, "B")
    assert refused.value.code == "taken"
    first = Citation.objects.get(cite_key="a")
    with transaction.atomic(), pytest.raises(IntegrityError):
        OtherKey.objects.create(project=thesis, citation=other, key="b")
    rename(first, "b")
    assert OtherKey.objects.get().key == "a", "the two change places"
    is_one = audit_project(thesis)
    assert is_one.missing == []
    first.delete()
    assert not OtherKey.objects.exists()
    assert [one.key for one in audit_project(thesis).missing] == ["b"]


def test_programs_and_the_editor_are_told(thesis: Project, owner: User) -> None:
    import_entries(thesis, B)
    client = signed_in(owner)
    base = f"/api/projects/{thesis.pk}/citations"
    assert client.get(base).json()[0]["other_keys"] == ["b"]
    assert [one["cite_key"] for one in client.get(f"{base}?q=b").json()] == ["a"]
    for query in ("", "?keys=a,b,none"):
        chips: Any = client.get(f"{base}/chips{query}").json()
        assert chips["b"] == chips["a"]
        assert set(chips) == {"a", "b"}


KEYS = st.sampled_from("abcdxyz")


@given(
    st.dictionaries(st.lists(KEYS, min_size=1, max_size=3).map(",".join), st.integers(1, 5)),
    st.dictionaries(st.sampled_from("xyz"), st.sampled_from("abcd")),
)
def test_no_citation_is_lost_or_doubled(cited: dict[str, int], same: dict[str, str]) -> None:
    told = replace_aliases(cited, same)
    assert sum(told.values()) == sum(cited.values())
    assert not {key for keys in told for key in keys.split(",")} & same.keys()
    assert replace_aliases(told, same) == told


def test_nothing_is_asked_for_no_keys(project: Project, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert resolve_aliases(project, {"*"}) == {}


def test_the_ids_of_biblatex(thesis: Project) -> None:
    """biblatex's own way to give a work several keys."""
    import_entries(thesis, A.replace("title=", "ids={b, c}, title="))
    assert OtherKey.objects.by_key(thesis) == {"b": "a", "c": "a"}
    is_one_work_everywhere(thesis)


def test_the_ids_of_an_uploaded_file(thesis: Project) -> None:
    file = ThesisFile(project=thesis, path="refs.bib", kind=ThesisFile.Kind.OTHER)
    file.blob.save("refs.bib", ContentFile(A.replace("title=", "ids={b}, title=").encode()), save=False)
    file.save()
    is_one_work_everywhere(thesis)
