"""The statement on the use of AI (SPEC T9).

While nobody has saved one, it has the words of the records. What a person has saved stays as it is; where the records
say something else since, the page shows what, and nothing is overwritten.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from core.errors import Refused
from core.storable import check_storable
from projects.models import Project, User
from thesis.authorship.records import MODEL, QUOTED, OtherUse, SectionUse, other_use, taken_by_section
from thesis.authorship.wording import Change, Facts, changes, facts_of, stands, worded
from thesis.front.facts import LONGEST_TEXT
from thesis.manuscript import AiUse
from thesis.models import AiStatement

NONE, UNSAVED, OLDER, SAVED = "none", "unsaved", "older", "saved"


@dataclass(frozen=True)
class Authorship:
    """The records of a thesis and its statement. `state` is none (nothing is to be stated), unsaved, older or saved."""

    sections: list[SectionUse]
    other: OtherUse
    facts: Facts
    saved: AiStatement | None

    @property
    def suggested(self) -> str:
        """The statement that the records give."""
        return worded(self.facts)

    @property
    def words(self) -> str:
        """The statement that is printed."""
        return self.saved.words if self.saved else self.suggested

    @property
    def state(self) -> str:
        if self.saved is None:
            return UNSAVED if self.facts else NONE
        return SAVED if self.saved.records == self.facts else OLDER

    @property
    def changes(self) -> list[Change]:
        """What the records say now and did not when the statement was saved, and the other way round."""
        return changes(self.saved.records, self.facts) if self.saved and self.state == OLDER else []

    @property
    def changed_by(self) -> str:
        """Who has saved it, by name."""
        return str(self.saved.changed_by or "") if self.saved else ""

    @property
    def changed_at(self) -> datetime | None:
        """When it was saved."""
        return self.saved.changed_at if self.saved else None

    @property
    def seen(self) -> str:
        """The records in a word, by which a page that was opened before they changed is known."""
        return hashlib.sha256(json.dumps(self.facts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def printed(self) -> AiUse:
        """What the title page and forms need of it."""
        return AiUse(self.words, tuple(by for by in (MODEL, QUOTED) if stands(self.facts, by)), self.state)


def authorship_of(project: Project) -> Authorship:
    """The records of `project` and its statement, in as many queries for many drafts as for one."""
    sections = taken_by_section(project)
    other = other_use(project, [entry.draft for use in sections for entry in use.entries])
    saved = AiStatement.objects.select_related("changed_by").filter(project=project).first()
    return Authorship(sections, other, facts_of(sections, other), saved)


def ai_use_of(project: Project) -> AiUse:
    """What is printed about the use of AI in `project`."""
    return authorship_of(project).printed


def save_statement(project: Project, user: User, words: str, *, seen: str = "") -> Authorship:
    """Keep `words` as the statement of `project`; none (white space alone) leaves the wording to the records again.

    `seen` is Authorship.seen of the page it was written on. Raises Refused: 422 for more than 20,000 characters or what
    cannot be stored, 409 older where the records have changed since `seen`. Nothing is saved then.
    """
    text = "\n".join(words.replace("\r\n", "\n").replace("\r", "\n").split("\n")).strip()
    check_storable(text, "words")
    if len(text) > LONGEST_TEXT:
        raise Refused(
            f"A statement has at most {LONGEST_TEXT:,} characters; this one has {len(text):,}. Shorten it.",
            field="words",
        )
    now = authorship_of(project)
    if seen and seen != now.seen:
        raise Refused(
            "The records have changed since you opened this page. Read what changed, then save again.",
            field="words",
            code="older",
            status=409,
        )
    if text:
        kept: dict[str, Any] = {"words": text, "records": now.facts, "changed_by": user, "changed_at": timezone.now()}
        AiStatement.objects.update_or_create(project=project, defaults=kept)
    else:
        AiStatement.objects.filter(project=project).delete()
    project.save(update_fields=["updated_at"])
    return authorship_of(project)
