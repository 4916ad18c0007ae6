"""The demo thesis: a student in critical care, half way (SPEC P7; config/demo/README.md)."""

from pathlib import Path

from django.db import transaction

from citations.arriving.importing import import_entries
from config.demo.data import install_data
from contextfiles.upload import store_path
from projects.models import Project, User
from sections.models import Section

HERE = Path(__file__).parent
EMAIL = "demo@scholium.local"
NAME = "Asha Menon"
PASSWORD = "scholium-demo"
TITLE = "Systemic corticosteroids and 28-day mortality in critically ill patients with COVID-19"
QUESTION = (HERE / "question.txt").read_text(encoding="utf-8").strip()


def install(reset: bool = True) -> Project:
    """The demo thesis, owned by the demo person.

    `reset` replaces one that is there, with its files, runs and every change made to it, and gives the demo
    person name and password back; without it that thesis is returned as it is. Other theses of the demo
    person stay either way. All of it happens or nothing.
    """
    with transaction.atomic():
        old = list(Project.objects.filter(is_demo=True, memberships__user__email=EMAIL))
        if old and not reset:
            return old[0]
        for thesis in old:
            thesis.delete()
        return _thesis(_person())


def install_on_empty() -> Project | None:
    """The demo thesis for an installation that nobody uses yet; None, and nothing done, when anybody does."""
    return None if User.objects.exists() else install()


def _person() -> User:
    person = User.objects.filter(email=EMAIL).first()
    if person is None:
        return User.objects.create_user(EMAIL, PASSWORD, name=NAME)
    person.name, person.is_active = NAME, True
    person.set_password(PASSWORD)
    person.save()
    return person


def _thesis(person: User) -> Project:
    project = Project.objects.create_for(
        person,
        title=TITLE,
        discipline="Critical care",
        degree="MD",
        study_design="Systematic review and meta-analysis",
        question=QUESTION,
        citation_style="vancouver",
        default_profile="local-only",
        is_demo=True,
    )
    import_entries(project, (HERE / "works.json").read_text(encoding="utf-8"))
    for section in Section.objects.filter(project=project):
        draft = HERE / "chapters" / f"{section.slug}.tex"
        if draft.exists():
            section.write(draft.read_text(encoding="utf-8"), based_on=section.version, by=person)
    # Last: bytes on the disk do not roll back with the rows.
    for path in sorted((HERE / "files").glob("*.md")):
        store_path(project, person, path)
    install_data(project, person)
    return project
