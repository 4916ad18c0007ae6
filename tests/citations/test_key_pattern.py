"""The pattern by which a thesis makes the keys of new references (SPEC C5)."""

import pytest
from django.urls import reverse

from citations.formats.csl import KEY_PATTERNS
from citations.importing.add_references import add
from citations.library.key_patterns import examples, save_pattern
from citations.models import KeyPattern
from core.errors import Refused
from projects.models import Project, User
from tests.people import signed_in

ENTRY = "@article{, title={The soil under alder}, author={Møller, Asha}, year={2020}}"
KEYS = ["moller2020", "moller2020soil", "moller_soil_2020", "Moller:2020"]


def added(project: Project, user: User, entry: str = ENTRY) -> str:
    (one,) = add(project, user, bibtex_entry=entry)
    return one.citation.cite_key


@pytest.mark.parametrize(("pattern", "key"), list(zip(KEY_PATTERNS, KEYS, strict=True)))
def test_new_references_get_keys_of_the_pattern(owner: User, project: Project, pattern: str, key: str) -> None:
    first = added(project, owner, ENTRY.replace("soil", "leaf"))
    save_pattern(project, pattern)
    assert added(project, owner, ENTRY.replace("under", "below")) in (key, f"{key}b")
    assert project.citations.filter(cite_key=first).exists(), "keys that exist stay"
    assert added(project, owner, "@book{own, title={Own key}, author={Ibe, Chidi}}") == "own"


@pytest.mark.parametrize(
    ("name", "key"),
    [("Щербаков", "shcherbakov2020"), ("王", "wang2020"), ("Ðoković", "dokovic2020")],
)
def test_names_in_other_scripts_are_spelled_in_latin_letters(
    owner: User, project: Project, name: str, key: str
) -> None:
    assert added(project, owner, ENTRY.replace("Møller", name)) == key


def test_taken_keys_get_a_letter(owner: User, project: Project) -> None:
    save_pattern(project, "Surname:year")
    assert added(project, owner) == "Moller:2020"
    assert added(project, owner, ENTRY.replace("soil", "leaf")) == "Moller:2020b"


def test_the_form_by_fields_uses_it_too(owner: User, project: Project) -> None:
    save_pattern(project, "surname_word_year")
    given = {"type": "book", "title": "An alder book", "issued": "2020", "author_family": "Menon", "author_given": "A"}
    signed_in(owner).post(reverse("citations:add_fields", args=[project.pk]), {**given, "save": "1"})
    assert project.citations.get().cite_key == "menon_alder_2020"


def test_the_page_shows_examples_from_the_thesis(owner: User, project: Project) -> None:
    assert [one.example for one in examples(project)][0] == "smith2020"
    added(project, owner)
    assert [one.example for one in examples(project)] == KEYS
    client, address = signed_in(owner), reverse("citations:keys", args=[project.pk])
    assert "moller2020soil" in client.get(address).content.decode()
    wrong = client.post(address, {"pattern": "nothing"})
    assert wrong.status_code == 422
    assert "Choose a pattern from the list." in wrong.content.decode()
    assert client.post(address, {"pattern": "surname-year-word"}).status_code == 302
    assert KeyPattern.objects.get().pattern == "surname-year-word"
    with pytest.raises(Refused):
        save_pattern(project, "")


def test_the_api_and_who_may(owner: User, reader: User, outsider: User, project: Project) -> None:
    api, page = f"/api/projects/{project.pk}/citations/key-pattern", reverse("citations:keys", args=[project.pk])
    assert signed_in(reader).get(api).json() == {"pattern": "surname-year"}
    body = {"pattern": "Surname:year"}
    for person, status in ((reader, 403), (outsider, 404)):
        assert signed_in(person).put(api, body, content_type="application/json").status_code == status
        assert signed_in(person).post(page, body).status_code == status
    assert signed_in(outsider).get(page).status_code == 404
    assert signed_in(owner).put(api, body, content_type="application/json").json() == body
    assert signed_in(owner).put(api, {"pattern": "x"}, content_type="application/json").status_code == 422
    assert signed_in(owner).delete(api).status_code == 405
