"""SPEC T2: two people save one section; both texts are shown in full and neither is ever lost."""

from typing import Any

import pytest

from projects.models import Project, User
from sections.models import Section, Stale
from tests.people import signed_in


@pytest.fixture
def results(project: Project, editor: User) -> Section:
    """Version 1, by Edda; whoever opened the page before that has version 0."""
    section: Section = project.sections.get(slug="results")
    return section.write("Same first line.\nWritten by Edda.\nSame last line.", based_on=0, by=editor)


MINE = "Same first line.\nWritten by Asha.\nSame last line."


def save(owner: User, section: Section, headers: dict[str, str] | None = None, **data: Any) -> Any:
    return signed_in(owner).post(
        f"/projects/{section.project_id}/sections/{section.slug}/",
        {"latex": MINE, "version": 0, **data},
        headers=headers,
    )


def test_both_texts_are_shown_in_full(results: Section, owner: User) -> None:
    response = save(owner, results)
    page = response.content.decode()
    assert response.status_code == 409
    assert f"{MINE}</textarea>" in page
    assert "<mark>Written by Edda.\n</mark>" in page
    assert "Edda Berg saved this section at" in page
    assert "Changed elsewhere" in page


def test_by_htmx_theirs_appears_beside_the_box(results: Section, owner: User) -> None:
    response = save(owner, results, headers={"HX-Request": "true"})
    part = response.content.decode()
    assert response.status_code == 409
    assert "<textarea" not in part
    assert "<html" not in part
    assert 'id="theirs" hx-swap-oob="true"' in part
    assert "Written by Edda." in part


def test_nothing_was_written(results: Section, owner: User) -> None:
    save(owner, results)
    results.refresh_from_db()
    assert (results.version, results.versions.count()) == (1, 1)


def test_saving_again_without_choosing_meets_the_same_conflict(results: Section, owner: User) -> None:
    assert 'name="version" value="0"' in save(owner, results).content.decode()
    assert save(owner, results, over=1).status_code == 409


def test_keeping_mine_puts_it_over_theirs(results: Section, owner: User) -> None:
    assert save(owner, results, over=1, settle="mine").status_code == 302
    results.refresh_from_db()
    assert (results.latex, results.version) == (MINE, 2)
    assert "Edda" in results.versions.get(version=1).latex


def test_keeping_theirs_leaves_mine_in_the_history(results: Section, owner: User) -> None:
    assert save(owner, results, over=1, settle="theirs").status_code == 302
    results.refresh_from_db()
    assert "Edda" in results.latex
    assert results.versions.get(version=2).latex == MINE
    assert results.versions.get(version=2).saved_by == owner


def test_keeping_theirs_by_htmx_opens_the_page_anew(results: Section, owner: User) -> None:
    response = save(owner, results, over=1, settle="theirs", headers={"HX-Request": "true"})
    assert response["HX-Redirect"].endswith("/sections/results/")


@pytest.mark.parametrize("settle", ["mine", "theirs"])
def test_a_third_save_in_between_is_not_overwritten_unseen(
    results: Section, owner: User, editor: User, settle: str
) -> None:
    results.write("Edda again.", based_on=1, by=editor)
    response = save(owner, results, over=1, settle=settle)
    assert response.status_code == 409
    assert "Edda again." in response.content.decode()
    results.refresh_from_db()
    assert (results.latex, results.version) == ("Edda again.", 2)


def test_a_version_that_never_was_is_a_conflict_too(results: Section, owner: User) -> None:
    assert save(owner, results, version=99).status_code == 409
    abstract = results.project.sections.get(slug="abstract")
    assert save(owner, abstract, version=99).status_code == 409


def test_stale_carries_the_present_section(results: Section, owner: User) -> None:
    with pytest.raises(Stale) as stale:
        results.write(MINE, based_on=0, by=owner)
    assert stale.value.current.version == 1
