"""A list typed by hand, from the file to a verdict of the registries on each entry, and to its links (SPEC C2, C5)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse

from citations.models import Citation
from citations.resolution.check_job import CHECK
from jobs.models import Job, State
from jobs.work import perform
from projects.models import User
from sections.models import Section
from sources.models import HostPace
from sources.work import Person, Work
from tests.citations.real_works import WORKS
from tests.people import signed_in
from tests.servers.registry_works import Holdings
from tests.thesis.test_typed_list import typed
from thesis.importing.typed_list.link import link, plan_links

pytestmark = pytest.mark.django_db

# As people type them: with a DOI, without one, with the DOI of another work, and a work that nobody knows.
ENTRIES = {
    "recovery": "RECOVERY Collaborative Group. Dexamethasone in hospitalized patients with Covid-19. N Engl J Med. "
    "2021;384:693-704. doi:10.1056/NEJMoa2021436",
    "codex": "Tomazini BM, Maia IS, Cavalcanti AB, Berwanger O, Rosa RG, et al. Effect of dexamethasone on days alive "
    "and ventilator-free in patients with moderate or severe acute respiratory distress syndrome and COVID-19: the "
    "CoDEX randomized clinical trial. JAMA. 2020;324(13):1307-16.",
    "cape": "Dequin PF, Heming N, Meziani F, et al. Effect of hydrocortisone on 21-day mortality or respiratory "
    "support among critically ill patients with COVID-19: a randomized clinical trial. JAMA. 2020;324:1298-306. "
    "https://doi.org/10.1001/jama.2020.17021",
    "nobody": "Sahlgren Q, Ovid T. Garlic vapour for ventilated otters in alpine huts. J Imaginary Med. 2018;1:1-2.",
}
NUMBERED = [f"{number}. {entry}" for number, entry in enumerate(ENTRIES.values(), 1)]


@pytest.fixture
def registries(settings: Any) -> Iterator[Holdings]:
    with Holdings(WORKS.values()) as one:
        one.serve(settings)
        yield one


def look_up() -> Job:
    job: Job = Job.objects.alive().get(kind=CHECK)
    perform(str(job.pk))
    job.refresh_from_db()
    return job


def verdicts(made: Any) -> dict[str, tuple[str, str, str]]:
    """The status, tier and recorded DOI of each entry, in the order of the list."""
    rows = [one.citation for one in plan_links(made).entries]
    assert all(rows)
    return {name: (row.status, row.tier, row.source_doi) for name, row in zip(ENTRIES, rows, strict=True) if row}


def test_each_entry_gets_its_verdict(owner: User, registries: Holdings) -> None:
    made = typed(owner, ["Steroids help [1,2], perhaps [3], or garlic [4]."], NUMBERED)
    assert look_up().state == State.DONE
    found = verdicts(made)
    assert found["recovery"] == ("verified", "A", "10.1056/nejmoa2021436")
    assert found["codex"] == ("verified", "A", "10.1001/jama.2020.17021")
    assert found["cape"][0] == "conflict", "its DOI leads to another work"
    assert found["nobody"][:2] == ("not_found", "D")
    assert registries.asked


def test_they_are_linked_whatever_the_verdict_and_read_as_recorded(owner: User, registries: Holdings) -> None:
    made = typed(owner, ["Steroids help [1,2], perhaps [3], or garlic [4]."], NUMBERED)
    look_up()
    keys = [one.citation.cite_key for one in plan_links(made).entries if one.citation]
    page = signed_in(owner).get(reverse("thesis:typed_list", args=[made.pk])).content.decode()
    assert "The entries are still being looked up" not in page
    assert all(words in page for words in ("Conflict", "Not found"))
    link(made, owner, token=plan_links(made).token)
    latex = Section.objects.filter(project=made.project).order_by("number")[0].latex
    assert f"help \\cite{{{keys[0]},{keys[1]}}}, perhaps \\cite{{{keys[2]}}}, or garlic \\cite{{{keys[3]}}}." in latex
    proven = Citation.objects.get(cite_key=keys[1])
    assert proven.csl["DOI"].lower() == "10.1001/jama.2020.17021", "the registry's record completes what was typed"
    assert proven.csl["author"][0]["given"].startswith("Bruno")


def test_registries_that_are_down_leave_them_to_be_looked_up_later(owner: User, registries: Holdings) -> None:
    registries.down = True
    made = typed(owner, ["Steroids help [1]."], NUMBERED)
    look_up()
    assert {status for status, _, _ in verdicts(made).values()} == {"unresolved"}
    assert len(plan_links(made).places) == 1, "it can be linked all the same"
    registries.down = False
    HostPace.objects.all().delete()  # the pause after failures in a row is over
    Citation.objects.update(check_due_at="2020-01-01T00:00:00Z", failures=0)
    Job.objects.start(project=made.project, kind=CHECK, subject=made.project_id, user=owner)
    look_up()
    assert verdicts(made)["codex"][:2] == ("verified", "A")


def initials(person: Person, dot: str = "", between: str = "") -> str:
    return between.join(f"{part[0]}{dot}" for part in re.split(r"[ .-]+", person.given or "") if part)


def vancouver(work: Work) -> str:
    names = [f"{one.family} {initials(one)}" if one.family else str(one.literal) for one in work.authors]
    return f"{', '.join(names)}. {work.title}. {work.venue}. {work.year};{work.volume}:{work.pages}."


def apa(work: Work) -> str:
    names = [f"{one.family}, {initials(one, '.', ' ')}" if one.family else str(one.literal) for one in work.authors]
    people = ", & ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{people} ({work.year}). {work.title}. {work.venue}, {work.volume}, {work.pages}."


def harvard(work: Work) -> str:
    names = [f"{one.family}, {initials(one, '.')}" if one.family else str(one.literal) for one in work.authors]
    people = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{people} ({work.year}) ‘{work.title}’, {work.venue}, {work.volume}, pp. {work.pages}."


def ieee(work: Work) -> str:
    names = [f"{initials(one, '.', ' ')} {one.family}" if one.family else str(one.literal) for one in work.authors]
    people = ", and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{people}, “{work.title},” {work.venue}, vol. {work.volume}, pp. {work.pages}, {work.year}."


@pytest.mark.sample(1)
@pytest.mark.parametrize("style", [vancouver, apa, harvard, ieee])
def test_works_typed_without_any_identifier_are_proven(owner: User, registries: Holdings, style: Any) -> None:
    """By the search alone, and each as itself: parts I and II of a work, updates of two years, groups, particles."""
    works = [one for one in WORKS.values() if one.doi and one.year and one.volume and one.type == "article-journal"]
    works = [one.model_copy(update={"title": re.sub("<.*?>", "", one.title)}) for one in works]
    entries = [f"[{number}] {style(work)}" for number, work in enumerate(works, 1)]
    made = typed(owner, ["Steroids help [1]."], entries if style in (vancouver, ieee) else [*map(style, works)])
    look_up()
    rows = [one.citation for one in plan_links(made).entries]
    assert [row and (row.status, row.source_doi.lower()) for row in rows] == [
        ("verified", str(work.doi).lower()) for work in works
    ]
