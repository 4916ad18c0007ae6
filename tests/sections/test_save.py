"""SPEC T2: a section's text is saved as it was written, by those who may, and nothing else on the page moves."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from latex.line_endings import normalised
from latex.word_count import count_words
from projects.models import Project, User
from sections.models import Section
from tests.examples import examples
from tests.people import signed_in

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))


@pytest.fixture
def results(project: Project) -> Section:
    section: Section = project.sections.get(slug="results")
    return section


def address(section: Section) -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/"


def save(client: Client, section: Section, latex: str, version: int = 0, **more: Any) -> Any:
    return client.post(address(section), {"latex": latex, "version": version}, **more)


def test_the_first_section_opens_and_any_other_by_name(project: Project, owner: User) -> None:
    client = signed_in(owner)
    assert "Text of Front matter" in client.get(f"/projects/{project.pk}/").content.decode()
    assert "Text of Results" in client.get(f"/projects/{project.pk}/?section=results").content.decode()
    assert client.get(f"/projects/{project.pk}/?section=nothing").status_code == 404


def test_a_thesis_without_sections_says_what_to_do(project: Project, owner: User) -> None:
    project.sections.all().delete()
    assert "No sections yet" in signed_in(owner).get(f"/projects/{project.pk}/").content.decode()


def test_a_save_is_kept_and_counted(results: Section, owner: User) -> None:
    client = signed_in(owner)
    response = save(client, results, "Alder fixes nitrogen \\cite{sterne2020}. % not this")
    assert response.status_code == 302
    results.refresh_from_db()
    assert (results.version, results.words) == (1, 3)
    page = client.get(address(results)).content.decode()
    assert "Alder fixes nitrogen \\cite{sterne2020}. % not this</textarea>" in page
    assert 'name="version" value="1"' in page


def test_by_htmx_the_box_is_left_alone_and_the_rest_brought_up_to_date(results: Section, owner: User) -> None:
    response = save(signed_in(owner), results, "Three words here", headers={"HX-Request": "true"})
    part = response.content.decode()
    assert response.status_code == 200
    assert "<html" not in part
    assert "<textarea" not in part
    for name in ("save", "theirs", "outline", "counts"):
        assert f'id="{name}"' in part
    assert 'name="version" value="1"' in part
    assert "Saved" in part


def test_an_unchanged_text_makes_no_version(results: Section, owner: User) -> None:
    client = signed_in(owner)
    save(client, results, "As it is.")
    save(client, results, "As it is.", version=1)
    assert results.versions.count() == 1


def test_a_leading_empty_line_survives_the_page(results: Section, owner: User) -> None:
    """A browser drops the first newline after <textarea>, so the page puts one there."""
    client = signed_in(owner)
    save(client, results, "\n\nText")
    assert ">\n\n\nText</textarea>" in client.get(address(results)).content.decode()


def test_text_is_shown_and_never_run(results: Section, owner: User) -> None:
    client = signed_in(owner)
    save(client, results, "</textarea><script>alert(1)</script>")
    assert "<script>alert(1)" not in client.get(address(results)).content.decode()


def test_too_long_a_text_is_refused_and_stays_on_the_page(results: Section, owner: User) -> None:
    response = save(signed_in(owner), results, "a" * 6_000_001)
    assert response.status_code == 422
    page = response.content.decode()
    assert "6,000,001 characters; a section can have at most 6,000,000" in page
    assert "a" * 6_000_001 in page
    results.refresh_from_db()
    assert results.latex == ""


def test_a_nul_character_is_refused_with_its_line(results: Section, owner: User) -> None:
    response = save(signed_in(owner), results, "one\ntwo\x00")
    assert response.status_code == 422
    assert "Line 2 contains a NUL character" in response.content.decode()


@pytest.mark.parametrize("data", [{}, {"version": 0}, {"latex": "x"}, {"latex": "x", "version": "one"}])
def test_half_a_form_changes_nothing(results: Section, owner: User, data: dict[str, Any]) -> None:
    results.write("What was there", based_on=0, by=owner)
    response = signed_in(owner).post(address(results), data)
    assert response.status_code == 422
    if "latex" not in data:
        assert "What was there</textarea>" in response.content.decode()
    results.refresh_from_db()
    assert results.latex == "What was there"


def test_the_thesis_counts_as_worked_on(results: Section, owner: User) -> None:
    before = results.project.updated_at
    save(signed_in(owner), results, "New.")
    assert Project.objects.get(pk=results.project_id).updated_at > before


@pytest.mark.parametrize("who", ["supervisor", "reader"])
def test_those_who_read_are_told_why_not_more(results: Section, who: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    page = client.get(f"{address(results)}?view=source").content.decode()
    assert "You can read this thesis, but not change it." in page
    assert "<textarea" not in page
    assert "Add a section" not in page
    assert save(client, results, "Mine").status_code == 403


def test_a_stranger_finds_nothing(results: Section, outsider: User) -> None:
    client = signed_in(outsider)
    assert client.get(f"/projects/{results.project_id}/").status_code == 404
    assert client.get(address(results)).status_code == 404
    assert save(client, results, "Mine").status_code == 404


def test_a_section_of_another_thesis_is_not_found_through_yours(results: Section, outsider: User) -> None:
    mine = Project.objects.create_for(outsider, title="Mine")
    mine.sections.all().delete()
    assert signed_in(outsider).get(f"/projects/{mine.pk}/sections/{results.slug}/").status_code == 404


def test_signing_in_comes_first(results: Section) -> None:
    assert save(Client(), results, "Mine")["Location"].startswith("/accounts/login/")
    assert Client().get(f"/projects/{results.project_id}/")["Location"].startswith("/accounts/login/")


def test_other_methods(results: Section, owner: User) -> None:
    assert signed_in(owner).put(address(results)).status_code == 405
    assert signed_in(owner).post(f"/projects/{results.project_id}/").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_any_text_comes_back_with_its_lines_as_newlines(results: Section, owner: User) -> None:
    client = signed_in(owner)

    @examples(30)
    @given(TEXT)
    def through_the_form(text: str) -> None:
        version = Section.objects.get(pk=results.pk).version
        Section.objects.filter(pk=results.pk).update(latex="")
        assert save(client, results, text, version=version).status_code == 302
        assert Section.objects.get(pk=results.pk).latex == normalised(text)

    through_the_form()


@settings(deadline=None)
@given(st.text())
def test_words_of_anything_can_be_counted(text: str) -> None:
    assert count_words(text) >= 0


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("", 0),
        ("Well-known isn't two", 3),
        ("\\section{Two words}", 2),
        ("\\cite[see][p.~3]{a,b} one", 1),
        ("\\textcite*{a} one \\ref{fig:two}", 1),
        ("50\\% of it % and no more\nnext", 4),
        ("end \\\\% a comment after a line break\nnext", 2),
        ("\\begin{table}[htb]\\end{table}", 1),
        ("\\cite{never closed", 2),
        ("Größe, 土壌", 2),
    ],
)
def test_words_are_those_of_prose(latex: str, words: int) -> None:
    assert count_words(latex) == words


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "broken", ["\\cite[", "\\cite{", "\\cite[a]", "\\begin{a", "%", "\\", "a-", "\\cite*[x][y", "cite", "\\citecite"]
)
def test_broken_latex_is_counted_in_linear_time(broken: str) -> None:
    """Quadratic counting would take hours here, not the fraction of a second it takes."""
    count_words("\\" + broken * (1_000_000 // len(broken)))
