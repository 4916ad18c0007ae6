"""Whatever brings an entry, the same rules say which work it is, and nothing that was brought is lost (SPEC C5, C6)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from citations.formats.bibtex import read_bibtex
from citations.importing.add_references import add, import_draft
from citations.importing.file_import import import_entries
from citations.importing.stored_file_entries import import_chosen
from citations.models import Citation, OtherKey, RetractionNotice
from projects.models import Project
from tests.servers.registry_works import Holdings

ALDER = "@article{menon2021, title={Alder and soil nitrogen}, author={Menon, Asha}, year=2021, doi={10.1000/alder}}\n"
BIRCH = "@article{menon2021, title={Birch pollen in spring}, author={Menon, Asha}, year=2021, doi={10.1000/birch}}\n"
PREPRINT = (
    "@misc{menon2020, title={Alder and soil nitrogen}, author={Menon, Asha}, year=2021, eprint={2004.00001},"
    " archiveprefix={arXiv}}\n"
)

DOORS: dict[str, Callable[[Project, str], Any]] = {
    "typed": lambda project, bibtex: add(project, project.owner, bibtex_entry=bibtex),
    "imported": lambda project, bibtex: import_entries(project, bibtex),
    "chosen": lambda project, bibtex: import_chosen(project, read_bibtex(bibtex).entries),
    "drafted": lambda project, bibtex: import_draft(project, project.owner, f"Text.\n<bibtex>{bibtex}</bibtex>"),
}
every_door = pytest.mark.parametrize("door", DOORS)


def titles(project: Project) -> dict[str, str]:
    return dict(Citation.objects.filter(project=project).values_list("cite_key", "title"))


@pytest.mark.sample(4)
@every_door
@pytest.mark.parametrize("status", ["unresolved", "verified", "attested"])
def test_another_work_under_a_key_that_is_taken_gets_its_own(
    project: Project, holdings: Holdings, door: str, status: str
) -> None:
    """Two people call two works menon2021: neither is written over, proven or not."""
    import_entries(project, ALDER)
    Citation.objects.update(status=status)
    before = Citation.objects.values().get()
    DOORS[door](project, BIRCH)
    assert titles(project) == {"menon2021": "Alder and soil nitrogen", "menon2021b": "Birch pollen in spring"}
    assert Citation.objects.values().get(pk=before["id"]) == before


ADULTS = (
    "@article{menon2021, title={Serum ferritin and severe dengue: a cohort study in adults}, author={Menon, Asha}, "
    "year=2021, journal={Journal of Fevers}, volume={3}, pages={10-19}}\n"
)
CHILDREN = ADULTS.replace("in adults", "in children").replace("10-19", "20-29")
EDITORIAL = "@article{editorial2021, title={Editorial}, year=2021, journal={Journal of Fevers}}\n"


@every_door
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ADULTS, CHILDREN),
        (ADULTS, CHILDREN.replace(", pages={20-29}", "")),
        (EDITORIAL, EDITORIAL.replace("of Fevers", "of Soils")),
    ],
)
def test_works_alike_under_one_key_are_two(
    project: Project, holdings: Holdings, door: str, first: str, second: str
) -> None:
    """Programs make keys of author and year, so that one author's works of a year have one."""
    import_entries(project, first)
    before = Citation.objects.values().get()
    DOORS[door](project, second)
    assert Citation.objects.count() == 2
    assert Citation.objects.values().get(pk=before["id"]) == before


@every_door
def test_a_corrected_title_is_still_that_work(project: Project, holdings: Holdings, door: str) -> None:
    import_entries(project, ADULTS)
    DOORS[door](project, ADULTS.replace("cohort study", "case-control study"))
    assert list(titles(project)) == ["menon2021"]


def test_an_import_says_under_which_key_another_work_came_in(project: Project) -> None:
    import_entries(project, ALDER)
    imported = import_entries(project, BIRCH.replace("menon2021", "Menon2021"))
    assert (imported.added, [one.message for one in imported.by_outcome["repaired"]]) == (
        ["Menon2021b"],
        ["Another work has this key. It was imported as Menon2021b."],
    )


@every_door
def test_one_doi_with_one_title_is_one_work_under_any_key(project: Project, holdings: Holdings, door: str) -> None:
    import_entries(project, ALDER)
    DOORS[door](project, ALDER.replace("menon2021", "asha").replace("10.1000/alder", "https://doi.org/10.1000/ALDER"))
    assert list(titles(project)) == ["menon2021"]
    if door != "drafted":  # whose text is changed instead
        assert OtherKey.objects.by_key(project) == {"asha": "menon2021"}


@every_door
def test_title_year_and_author_tell_a_work_without_a_doi(project: Project, holdings: Holdings, door: str) -> None:
    """A file of entries looked at the key and the DOI alone."""
    import_entries(project, ALDER)
    DOORS[door](project, ALDER.replace("menon2021", "asha").replace(", doi={10.1000/alder}", ""))
    assert list(titles(project)) == ["menon2021"]


def test_a_title_of_many_works_does_not_cost_an_entry_of_a_file(project: Project) -> None:
    """Nobody looks at each of thousands: what may be another work comes in, and the list offers to merge the two."""
    import_entries(project, "@misc{a, title={Editorial}, year=2020}@misc{b, title={Editorial}, year=2020}")
    assert list(titles(project)) == ["a", "b"]


@every_door
def test_a_key_in_other_capitals_stands_for_the_same_work(project: Project, holdings: Holdings, door: str) -> None:
    import_entries(project, ALDER)
    DOORS[door](project, ALDER.replace("menon2021", "Menon2021"))
    assert list(titles(project)) == ["menon2021"]
    if door != "drafted":
        assert OtherKey.objects.by_key(project) == {"Menon2021": "menon2021"}


@every_door
@pytest.mark.parametrize(("first", "second"), [(ALDER, PREPRINT), (PREPRINT, ALDER)])
def test_a_preprint_and_its_article_stay_two(
    project: Project, holdings: Holdings, door: str, first: str, second: str
) -> None:
    import_entries(project, first)
    DOORS[door](project, second)
    assert sorted(titles(project)) == ["menon2020", "menon2021"]


@pytest.mark.parametrize("door", ["typed", "imported", "drafted"])
@pytest.mark.parametrize(
    ("old", "new"), [("Alder and soil nitrogen", "Nitrogen under alder"), (", doi={10.1000/alder}", ", volume={3}")]
)
def test_an_unproven_entry_is_put_right_under_its_key(
    project: Project, holdings: Holdings, door: str, old: str, new: str
) -> None:
    """Its DOI tells that it is the same where its title is corrected. What hung on the old words goes with them."""
    import_entries(project, ALDER)
    RetractionNotice.objects.create(citation=Citation.objects.get(), type="retraction")
    DOORS[door](project, ALDER.replace(old, new))
    row = Citation.objects.get()
    assert (row.cite_key, row.bibtex.strip()) == ("menon2021", ALDER.replace(old, new).strip())
    assert not row.notices.exists()


@pytest.mark.parametrize("door", ["typed", "imported", "drafted"])
def test_words_that_tell_of_no_other_work_are_taken_too(project: Project, holdings: Holdings, door: str) -> None:
    import_entries(project, ALDER.replace("year=", "abstract={Forty plots.}, year="))
    DOORS[door](project, ALDER.replace("year=", "keywords={trees}, year="))
    row = Citation.objects.get()
    assert (row.csl["keyword"], row.note) == ("trees", "Forty plots.")


@every_door
def test_the_ids_of_biblatex_come_with_every_door_but_a_draft(project: Project, holdings: Holdings, door: str) -> None:
    DOORS[door](project, ALDER.replace("title=", "ids={x, y}, title="))
    assert OtherKey.objects.by_key(project) == ({} if door == "drafted" else {"x": "menon2021", "y": "menon2021"})


@pytest.mark.parametrize("shape", ["new", "same", "changed", "other key"])
def test_a_batch_takes_as_many_queries_as_one_entry(project: Project, shape: str) -> None:
    def text(count: int, name: str = "k") -> str:
        entry = (
            "@article{{{0}{1}, title={{Alder of plot {1}}}, author={{Menon, A.}}, year=2020, doi={{10.1000/{1}}}}}\n"
        )
        return "".join(entry.format(name, number) for number in range(count))

    def queries(count: int) -> int:
        other = Project.objects.create_for(project.owner, title=f"{shape} {count}")
        if shape != "new":
            import_entries(other, text(count))
        brought = text(count, "m" if shape == "other key" else "k")
        if shape == "changed":
            brought = brought.replace("year=2020", "volume={3}, year=2020")
        with CaptureQueriesContext(connection) as captured:
            import_entries(other, brought)
        return len(captured)

    assert queries(1) == queries(20)
