"""A reference as fields by type: the same entry as its BibTeX (SPEC C9)."""

from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from citations.editing.entry_fields import LABELS, TYPES, EntryForm, form_of, write_entry
from citations.formats.bibtex import read_bibtex
from citations.importing.add_references import add
from citations.models import Citation
from core.errors import Refused
from projects.models import Project, User
from tests.citations.test_edit_page import BIBTEX
from tests.examples import examples
from tests.people import signed_in
from tests.servers.registry_works import Holdings

ODD = r"""@article{king2020,
  title = {Effect of {COVID} \& steroids in $\alpha$ groups},
  author = {van der Berg, Jan and {World Health Organization} and King, Jr., Martin and others},
  journal = {JAMA}, year = {2020}, month = mar, pages = {13--16}, abstract = {An abstract.},
  note = {Read.}, eprintclass = {kept \LaTeX}
}"""
TEXT = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=20)
NAME = st.from_regex(r"[A-ZÄÖ][a-zéß]{1,10}", fullmatch=True)
PEOPLE = st.lists(st.tuples(NAME, NAME), max_size=4).map(tuple)


def test_what_is_not_changed_stays_to_the_byte() -> None:
    assert write_entry(form_of(ODD), ODD) == ODD


def test_one_change_leaves_the_rest_as_it_was() -> None:
    before = read_bibtex(ODD).entries[0].csl
    form = form_of(ODD)
    assert form.authors == (("van der Berg", "Jan"), ("World Health Organization", ""), ("King", "Martin, Jr."))
    after = read_bibtex(write_entry(replace(form, texts={**form.texts, "volume": "323"}), ODD)).entries[0]
    assert after.csl.pop("volume") == "323"
    assert {name: after.csl[name] for name in ("author", "title", "issued", "page")} == {
        name: before[name] for name in ("author", "title", "issued", "page")
    }
    assert after.csl["custom"]["bibtex"]["eprintclass"] == r"kept \LaTeX"
    assert after.key == "king2020"
    assert "Read." in after.note


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", TYPES)
@given(data=st.data(), title=TEXT, authors=PEOPLE, editors=PEOPLE, year=st.integers(1500, 2100))
@examples(60)
def test_every_type_comes_back_as_it_was_filled_in(
    kind: str, data: st.DataObject, title: str, authors: Any, editors: Any, year: int
) -> None:
    names = [name for name, _ in TYPES[kind].fields if name not in ("DOI", "PMID", "URL", "ISBN", "page")]
    texts = data.draw(st.dictionaries(st.sampled_from(names), NAME)) if names else {}
    form = EntryForm("key1", kind, title, f"{year}", texts, authors, editors if TYPES[kind].has_editors else ())
    back = form_of(write_entry(form))
    assert (back.type, back.issued, back.authors, back.editors) == (kind, form.issued, form.authors, form.editors)
    assert back.texts == texts
    assert "".join(back.title.split()) == "".join(title.split())


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": ""}, "title"),
        ({"type": "no type"}, "type"),
        ({"key": "a,}@book{b"}, "cite_key"),
        ({"issued": "last spring"}, "issued"),
        ({"texts": {"volume": "9" * 2001}}, "volume"),
        ({"texts": {"volume": "9\x00"}}, "volume"),
        ({"authors": (("A\ud800", ""),)}, "author"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        write_entry(replace(form_of(ODD), **change), ODD)
    assert refused.value.field == field


def test_what_was_there_before_is_no_mistake_of_now() -> None:
    bibtex = r"@patent{p, title = {A}, year = {in press}, publisher = {" + "x" * 3000 + "}}"
    changed = write_entry(replace(form_of(bibtex), title="B"), bibtex)
    assert read_bibtex(changed).entries[0].csl["issued"] == {"literal": "in press"}
    assert form_of(changed).type == "patent"


# The pages


@pytest.fixture
def row(project: Project, owner: User, holdings: Holdings) -> Citation:
    (one,) = add(project, owner, bibtex_entry=BIBTEX)
    return one.citation


def address(row: Citation) -> str:
    return reverse("citations:edit_fields", args=[row.project_id, row.pk])


def sent(row: Citation, **changes: Any) -> dict[str, Any]:
    form = form_of(row.bibtex)
    values: dict[str, Any] = {"cite_key": form.key, "type": form.type, "title": form.title, "issued": form.issued}
    values |= {f"field_{name}": text for name, text in form.texts.items()}
    values |= {"author_family": [one for one, _ in form.authors], "author_given": [one for _, one in form.authors]}
    return values | {"and_others": "on"} | changes


@pytest.mark.django_db
def test_saved_as_it_is_it_stays_proven_and_changed_it_is_checked(owner: User, row: Citation) -> None:
    browser = signed_in(owner)
    assert browser.get(address(row)).status_code == 200
    before = (row.bibtex, row.tier)
    assert browser.post(address(row), sent(row, save="1")).status_code == 302
    row.refresh_from_db()
    assert (row.bibtex, row.tier) == before
    assert browser.post(address(row), sent(row, issued="2019", save="1")).status_code == 302
    row.refresh_from_db()
    assert "year = {2019}" in row.bibtex
    assert row.tier == ""


@pytest.mark.django_db
def test_another_type_shows_its_fields_and_saves_nothing(owner: User, row: Citation) -> None:
    page = signed_in(owner).post(address(row), sent(row, type="book"), headers={"HX-Request": "true"}).content.decode()
    assert "Edition" in page
    assert "Editors" in page
    assert "JAMA" in page, "what is filled in is not hidden"
    assert "<html" not in page
    more = signed_in(owner).post(address(row), sent(row, more="authors")).content.decode()
    assert more.count('name="author_family"') == 3
    row.refresh_from_db()
    assert row.tier == "A"


@pytest.mark.django_db
def test_a_wrong_date_keeps_what_was_typed(owner: User, row: Citation) -> None:
    page = signed_in(owner).post(address(row), sent(row, title="Anew", issued="spring", save="1"))
    assert page.status_code == 422
    assert ">Anew</textarea>" in page.content.decode()
    assert "Write the date as" in page.content.decode()


@pytest.mark.django_db
def test_what_cannot_be_stored_is_refused_on_the_page(owner: User, row: Citation) -> None:
    page = signed_in(owner).post(address(row), sent(row, title="A\x00new", save="1"))
    assert page.status_code == 422
    row.refresh_from_db()
    assert row.tier == "A"


@pytest.mark.django_db
def test_a_book_is_added_by_hand(project: Project, owner: User, holdings: Holdings) -> None:
    where = reverse("citations:add_fields", args=[project.pk])
    values: dict[str, Any] = {
        "type": "book",
        "title": "Soil of alder stands",
        "issued": "2001",
        "field_publisher": "Spring & Co",
    }
    values |= {"author_family": ["Menon", ""], "author_given": ["Asha", ""]}
    assert signed_in(owner).get(where).status_code == 200
    assert signed_in(owner).post(where, values | {"save": "1"}).status_code == 302
    made = Citation.objects.get(project=project)
    assert (made.cite_key, made.title, made.csl["publisher"]) == ("menon2001", "Soil of alder stands", "Spring & Co")
    assert "Menon" in made.authors


@pytest.mark.django_db
def test_works_alike_by_hand_are_two_references(project: Project, owner: User, holdings: Holdings) -> None:
    """The key that is made for the second is that of the first, until the letter is added."""
    where = reverse("citations:add_fields", args=[project.pk])
    people = {"type": "article-journal", "issued": "2020", "author_family": "Menon", "author_given": "Asha"}
    for patients in ("adults", "children"):
        title = f"Serum ferritin and severe dengue: a cohort study in {patients}"
        assert signed_in(owner).post(where, people | {"title": title, "save": "1"}).status_code == 302
    found = list(Citation.objects.filter(project=project).order_by("serial"))
    assert [(one.cite_key, one.title.split()[-1]) for one in found] == [
        ("menon2020", "adults"),
        ("menon2020b", "children"),
    ]
    page = signed_in(owner).get(reverse("citations:edit", args=[project.pk, found[1].pk])).content.decode()
    assert "@article{menon2020b," in page


@pytest.mark.django_db
def test_who_may(row: Citation, reader: User, supervisor: User, outsider: User, owner: User) -> None:
    add_at = reverse("citations:add_fields", args=[row.project_id])
    for where in (address(row), add_at):
        for user, status in ((reader, 403), (supervisor, 403), (outsider, 404)):
            assert signed_in(user).get(where).status_code == status
            assert signed_in(user).post(where, {"save": "1"}).status_code == status
        assert signed_in(owner).put(where).status_code == 405


def test_every_field_has_a_name() -> None:
    assert all(LABELS.values())
