"""Drafts of a model or the offline engine that somebody has taken, made as the server makes them."""

from typing import Any

from llm.offline import OfflineEngine
from projects.models import Project, User
from sections.models import Section
from tests.thesis.draft_rows import again
from thesis.authorship.records import DraftUse, draft_use_by_section
from thesis.drafting.accept import accept_blocks
from thesis.drafting.proposal import settle_proposal
from thesis.models import Draft

MODEL = "claude-opus-5-5"
OWN = "Alder grows along rivers and lakes in the north of the country, where the soil is wet for most of the year."
DRAFTED = (
    "The roots of alder house bacteria that turn nitrogen of the air into "
    "a form that plants can use~\\cite{menon2021}. "
    "Stands of alder therefore enrich poor soils within two or three decades of being planted."
)
SECOND = "Farmers in the hills have long planted alder beside their terraces, since barley yields more in its shade."


def proposal(section: Section, user: User, latex: str, **fields: Any) -> Draft:
    """A proposal of a model for the present text of `section`."""
    now = Section.objects.get(pk=section.pk)
    made = {
        "engine": f"Claude ({MODEL})",
        "model": MODEL,
        "base_version": now.version,
        "base_latex": now.latex,
        **fields,
    }
    draft = Draft.objects.create(project=now.project, section=now, created_by=user, **made)
    return settle_proposal(draft, latex, markdown=False)


def offline(section: Section, user: User, latex: str, **fields: Any) -> Draft:
    """The same of the offline engine."""
    return proposal(section, user, latex, **{"engine": OfflineEngine.label, "model": "", **fields})


def accepted_draft(section: Section, user: User, latex: str = DRAFTED, **fields: Any) -> Draft:
    """A draft of a model at the end of `section`, taken."""
    draft = proposal(section, user, latex, **fields)
    accept_blocks(draft, user)
    return again(draft)


def entries(project: Project) -> list[DraftUse]:
    """All entries of the list, section by section."""
    return [entry for use in draft_use_by_section(project) for entry in use.entries]


def counts(project: Project) -> list[tuple[int, int]]:
    """(words, how many stand) of each."""
    return [(entry.words, entry.stands) for entry in entries(project)]


def written(section: Section, latex: str, user: User) -> Section:
    """`section` with `latex` as its text."""
    now: Section = Section.everything.get(pk=section.pk)
    return now.write(latex, based_on=now.version, by=user)


def text(section: Section) -> str:
    found: Section = Section.everything.get(pk=section.pk)
    return found.latex
