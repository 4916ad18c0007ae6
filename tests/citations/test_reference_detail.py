"""One reference: everything known about it, evidence marked in its note, and its deletion (SPEC C5)."""

from typing import Any

import pytest
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.models import Citation
from projects.models import Project, User
from tests.people import signed_in

ENTRY = """@article{menon2021, title = {Alder and soil}, author = {Menon, Asha}, journal = {Forest Ecology},
 year = 2021, doi = {10.1000/a<b>}, url = {javascript:alert(1)}, abstract = {Thirty <plots>.

 Nitrogen rose.}}"""


@pytest.fixture
def citation(project: Project) -> Citation:
    import_entries(project, ENTRY)
    return Citation.objects.get()


def address_of(citation: Citation, name: str = "detail") -> str:
    return reverse(f"citations:{name}", args=[citation.project_id, citation.pk])


def test_everything_is_shown_and_escaped(reader: User, citation: Citation) -> None:
    page = signed_in(reader).get(address_of(citation)).content.decode()
    assert "Not looked up yet" in page
    assert "<p>Thirty &lt;plots&gt;.</p>" in page
    assert "<em>Forest Ecology</em>" in page, "the reference as the thesis prints it"
    assert "@article{menon2021, title = {Alder and soil}" in page
    assert 'href="javascript:' not in page
    assert "10.1000/a&lt;b&gt;" in page
    assert "citations:delete" not in page
    assert address_of(citation, "delete") not in page, "a reader cannot delete"


def test_evidence_is_marked_in_the_note(owner: User, citation: Citation) -> None:
    """Offsets count in title, blank line and note together: what research reads."""
    start = citation.text_for_search.index("Nitrogen")
    page = signed_in(owner).get(address_of(citation), {"start": start, "end": start + 8}).content.decode()
    assert '<p><mark id="passage">Nitrogen</mark> rose.</p>' in page


def test_a_mark_may_span_paragraphs_and_has_one_anchor(owner: User, citation: Citation) -> None:
    end = len(citation.text_for_search)
    page = signed_in(owner).get(address_of(citation), {"start": 0, "end": end}).content.decode()
    assert page.count("<mark") == 3
    assert page.count('id="passage"') == 1


@pytest.mark.parametrize(
    "span", [("x", "y"), ("9", "2"), ("-1", "5"), ("99999999999", "1"), ("", "²"), ("99999", "999999")]
)
def test_nonsense_marks_nothing(owner: User, citation: Citation, span: tuple[str, str]) -> None:
    response = signed_in(owner).get(address_of(citation), {"start": span[0], "end": span[1]})
    assert response.status_code == 200


def test_a_style_that_citeproc_does_not_know_prints_no_reference(owner: User, citation: Citation) -> None:
    Project.objects.update(citation_style="default")
    page = signed_in(owner).get(address_of(citation)).content.decode()
    assert "Printed reference" not in page


def test_delete(editor: User, citation: Citation) -> None:
    response = signed_in(editor).post(address_of(citation, "delete"), follow=True)
    assert response.redirect_chain[-1][0] == reverse("citations:list", args=[citation.project_id])
    assert "menon2021 was deleted." in response.content.decode()
    assert not Citation.objects.exists()


def test_strangers_readers_and_wrong_methods(
    citation: Citation, owner: User, outsider: User, reader: User, supervisor: User, client: Any
) -> None:
    detail, delete = address_of(citation), address_of(citation, "delete")
    assert [signed_in(outsider).get(detail).status_code, signed_in(outsider).post(delete).status_code] == [404, 404]
    assert [client.get(detail).status_code, client.post(delete).status_code] == [302, 302]
    assert [signed_in(who).post(delete).status_code for who in (reader, supervisor)] == [403, 403]
    assert [signed_in(owner).post(detail).status_code, signed_in(owner).get(delete).status_code] == [405, 405]
    assert Citation.objects.exists()


def test_another_thesis_is_no_way_in(citation: Citation, outsider: User) -> None:
    theirs = Project.objects.create_for(outsider, title="Another")
    client = signed_in(outsider)
    for name, send in (("detail", client.get), ("delete", client.post)):
        assert send(reverse(f"citations:{name}", args=[theirs.pk, citation.pk])).status_code == 404
    assert client.delete(f"/api/projects/{theirs.pk}/citations/{citation.pk}").status_code == 404


def test_the_api_reads_and_deletes(citation: Citation, owner: User, reader: User, outsider: User, client: Any) -> None:
    address = f"/api/projects/{citation.project_id}/citations/{citation.pk}"
    answer = signed_in(reader).get(address).json()
    assert (answer["cite_key"], answer["csl"]["container-title"]) == ("menon2021", "Forest Ecology")
    assert answer["bibtex"] == ENTRY
    assert [signed_in(outsider).get(address).status_code, client.get(address).status_code] == [404, 401]
    assert [signed_in(outsider).delete(address).status_code, signed_in(reader).delete(address).status_code] == [
        404,
        403,
    ]
    assert signed_in(owner).delete(address).status_code == 204
    assert signed_in(owner).get(address).status_code == 404
