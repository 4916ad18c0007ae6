"""Keys that were made before the record came give way to surname and year (SPEC C5)."""

import pytest

from citations.audit.audit import audit_project
from citations.audit.key_uses import uses_by_key
from citations.editing.edit import rename
from citations.matching import ReferenceIndex
from citations.models import Citation
from core.errors import Refused
from projects.models import Project, User
from sections.models import Section
from tests.citations.real_works import WORKS
from tests.citations.test_check import check, unchecked_row
from tests.people import signed_in
from tests.servers.registry_works import Holdings
from thesis.assembly.assemble import assemble
from thesis.manuscript_data import manuscript_of


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "stem", ["doi-10.1001-jama.2020.17021", "doi-10.1001-jama.2020.17021b", "ref1", "refnd", "refndc"]
)
def test_a_key_that_was_made_of_an_identifier_gives_way_to_surname_and_year(
    project: Project, owner: User, holdings: Holdings, stem: str
) -> None:
    unchecked_row(project, {"type": "document", "DOI": WORKS["codex"].doi}, cite_key=stem)
    check(project, owner)
    row = Citation.objects.get()
    assert (row.cite_key, [one.key for one in row.other_keys.all()]) == ("tomazini2020", [stem])


@pytest.mark.parametrize("key", ["doi-10.1001-jama.2020.17021x9", "doi-10.5555-adv.5", "ref7", "Tomazini"])
def test_another_key_is_a_persons_own(project: Project, owner: User, holdings: Holdings, key: str) -> None:
    unchecked_row(project, {"type": "document", "DOI": WORKS["codex"].doi}, cite_key=key)
    check(project, owner)
    assert Citation.objects.get().cite_key == key


def test_a_key_that_came_in_bibtex_stays(project: Project, owner: User, holdings: Holdings) -> None:
    bibtex = f"@misc{{ref1, doi = {{{WORKS['codex'].doi}}}}}"
    unchecked_row(project, {"type": "document", "DOI": WORKS["codex"].doi}, cite_key="ref1", bibtex=bibtex)
    check(project, owner)
    assert Citation.objects.get().cite_key == "ref1"


def test_a_new_key_is_one_that_nobody_has(project: Project, owner: User, holdings: Holdings) -> None:
    unchecked_row(project, {"type": "book", "title": "Another"}, cite_key="Tomazini2020", check_due_at=None)
    unchecked_row(project, {"type": "document", "DOI": WORKS["codex"].doi}, cite_key="ref2")
    check(project, owner)
    assert Citation.objects.get(serial=2).cite_key == "tomazini2020b"


def test_the_old_key_goes_on_standing_for_the_entry(project: Project, owner: User, holdings: Holdings) -> None:
    """A text that was not saved when the record came, or a draft, has it."""
    unchecked_row(project, {"type": "document", "DOI": WORKS["codex"].doi}, cite_key="ref1")
    check(project, owner)
    Section.objects.filter(project=project, number=1).update(
        latex=r"As shown \cite{ref1}, and again \cite{tomazini2020}."
    )
    project = Project.objects.get(pk=project.pk)
    found = audit_project(project)
    assert (found.missing, found.orphaned, found.integrity_score) == ([], [], 100.0)
    assert (found.total_citations, found.backed_commands) == (1, 2)
    made = assemble(manuscript_of(project))
    assert made.files["references.bib"].count(b"@article{tomazini2020,") == 1
    assert rb"\cite{ref1}" not in b"".join(made.files.values())
    chips = signed_in(owner).get(f"/api/projects/{project.pk}/citations/chips?keys=ref1").json()
    assert chips["ref1"]["label"] == "Tomazini 2020"
    row = Citation.objects.get()
    assert [use.count for use in uses_by_key(project)[row.cite_key]] == [2]
    with pytest.raises(Refused, match="is cited in"):
        rename(row, "other")
    assert ReferenceIndex(project).key_for({}, "ref1") != "ref1"
