"""manage.py demo: the thesis everybody meets first (SPEC P7; DESIGN, Commands)."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from citations.models import Citation
from config.demo.install import EMAIL, HERE, PASSWORD, QUESTION, TITLE, install, install_on_empty
from config.management.commands.up import is_for_this_machine
from contextfiles.models import ContextFile
from contextfiles.read_text import read
from contextfiles.upload import store_path
from projects.models import Project, User
from sections.models import Section
from sections.outline import CHAPTERS

FILES = sorted((HERE / "files").glob("*.md"))
DRAFTS = sorted((HERE / "chapters").glob("*.tex"))
WORKS: list[dict[str, Any]] = json.loads((HERE / "works.json").read_text(encoding="utf-8"))
ODD = {"crash2005", "halvorsen2021", "recovery2020hcq"}  # of references.bib: wrong, invented, unknown to the catalogue
CSL_TYPES = {"article", "article-journal", "webpage"}
DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
CITED = re.compile(r"\\cite\{([^}]+)\}")


def demo() -> str:
    out = StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


# What is installed


def test_the_command_says_how_to_sign_in_and_what_to_ask(db: Any) -> None:
    said = demo()
    project = Project.objects.get()
    assert EMAIL in said
    assert PASSWORD in said
    assert QUESTION in said
    assert said.rstrip().endswith(str(project.pk))
    browser = Client()
    answer = browser.post(reverse("account_login"), {"login": EMAIL, "password": PASSWORD})
    assert answer.status_code == 302
    assert browser.session["_auth_user_id"] == str(project.owner.pk)


def test_the_thesis_has_its_chapters_references_and_files(db: Any) -> None:
    project = install()
    assert (project.title, project.degree, project.citation_style) == (TITLE, "MD", "vancouver")
    assert project.is_demo
    assert project.default_profile == "local-only"
    assert project.owner.name == "Asha Menon"
    written = Section.objects.filter(project=project).exclude(latex="")
    assert {section.slug for section in written} == {path.stem for path in DRAFTS}
    assert all(section.words > 30 for section in written)
    assert Citation.objects.filter(project=project).count() == len(WORKS) + len(ODD)
    files = ContextFile.objects.filter(project=project)
    assert {file.name for file in files} == {path.name for path in FILES}
    assert {file.status for file in files} == {ContextFile.Status.STORED}


def test_references_keep_their_notes_and_the_marks_of_retraction(db: Any) -> None:
    citations = Citation.objects.filter(project=install())
    notes = {citation.cite_key: citation.note for citation in citations}
    assert notes == {work["id"]: work["note"] for work in WORKS} | dict.fromkeys(ODD, "")
    retracted = set(citations.filter(retracted=True).values_list("cite_key", flat=True))
    assert retracted == {"mehra2020lancet", "mehra2020nejm"}


def test_a_stranger_does_not_see_it(outsider: User) -> None:
    """SPEC P3."""
    install()
    assert not Project.objects.visible_to(outsider).exists()


# Resetting it


def test_a_second_call_puts_the_thesis_back_and_leaves_others_alone(transactional_db: Any, tmp_path: Path) -> None:
    first = install()
    owner = first.owner
    mine = Project.objects.create_for(owner, title="A thesis of my own")
    chapter = Section.objects.get(project=first, slug="abstract")
    chapter.write("Overwritten.", based_on=chapter.version, by=owner)
    Citation.objects.filter(project=first).delete()
    extra = tmp_path / "extra.md"
    extra.write_text("Alder roots hold nitrogen.")
    blob = Path(store_path(first, owner, extra).blob.path)
    owner.set_password("something else entirely")
    owner.save()

    demo()

    again = Project.objects.get(is_demo=True)
    assert set(Project.objects.all()) == {again, mine}
    assert again.owner == owner
    assert again.owner.check_password(PASSWORD)
    assert Section.objects.get(project=again, slug="abstract").latex == (HERE / "chapters/abstract.tex").read_text()
    assert Citation.objects.filter(project=again).count() == len(WORKS) + len(ODD)
    assert ContextFile.objects.count() == len(FILES)
    assert not blob.exists()
    assert all(Path(file.blob.path).exists() for file in ContextFile.objects.all())


def test_without_reset_a_thesis_that_is_there_stays_as_it_is(db: Any) -> None:
    first = install()
    Citation.objects.filter(project=first, cite_key="sterne2020").delete()
    assert install(reset=False) == first
    assert not Citation.objects.filter(project=first, cite_key="sterne2020").exists()


def test_it_comes_by_itself_only_where_there_is_nobody(db: Any) -> None:
    assert install_on_empty() is not None
    assert install_on_empty() is None
    assert Project.objects.count() == 1


def test_somebody_being_there_is_enough_to_leave_it_out(owner: User) -> None:
    assert install_on_empty() is None
    assert not Project.objects.exists()


# What it is made of


def test_works_are_csl_with_keys_and_identifiers_of_the_right_form() -> None:
    assert len({work["id"] for work in WORKS}) == len(WORKS)
    for work in WORKS:
        assert re.fullmatch(r"[a-z0-9]+", work["id"])
        assert work["type"] in CSL_TYPES
        assert work["title"]
        assert all(set(name) in ({"family", "given"}, {"literal"}) for name in work["author"]), work["id"]
        assert DOI.fullmatch(work["DOI"]) if "DOI" in work else work["URL"].startswith("https://")
        assert re.fullmatch(r"\d+", work.get("PMID", "1"))
        assert 1980 < work.get("issued", {"date-parts": [[2000]]})["date-parts"][0][0] < 2030


def test_every_note_is_two_to_six_sentences() -> None:
    for work in WORKS:
        sentences = re.split(r"(?<=\.) (?=[A-Z0-9])", work["note"])
        assert 2 <= len(sentences) <= 6, work["id"]
        assert all(sentence.endswith(".") for sentence in sentences), work["id"]


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_chapters_cite_only_works_that_are_there(path: Path) -> None:
    assert path.stem in dict(CHAPTERS)
    keys = {key.strip() for found in CITED.findall(path.read_text(encoding="utf-8")) for key in found.split(",")}
    assert keys <= {work["id"] for work in WORKS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_can_be_read_and_their_sentences_fit_a_digest(path: Path) -> None:
    """SPEC X6: an item of a digest has at most 180 characters."""
    reading = read("md", path.read_bytes())
    assert reading.segments
    lines = [line for line in reading.text.splitlines() if not line.startswith("|")]
    assert max(map(len, lines)) <= 180


@pytest.mark.parametrize(
    ("host", "changed", "alone"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("0.0.0.0", {}, False),
        ("127.0.0.1", {"ALLOWED_HOSTS": ["theses.example.org"]}, False),
        ("127.0.0.1", {"HTTPS": True}, False),
        ("127.0.0.1", {"TRUSTED_PROXIES": ["unix"]}, False),
    ],
)
def test_up_installs_it_where_nobody_else_comes(settings: Any, host: str, changed: dict[str, Any], alone: bool) -> None:
    """A server behind a proxy listens on the loopback too;
    its visitors would read the password in the documentation."""
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
    for name, value in changed.items():
        setattr(settings, name, value)
    assert is_for_this_machine(host) == alone
