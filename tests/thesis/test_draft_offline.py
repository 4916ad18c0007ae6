"""The offline engine drafts from findings and references, in their own words, and says so (SPEC T3, P7)."""

import pytest

from citations.models import Citation
from core.errors import Refused
from jobs.models import State
from projects.models import User
from sections.models import Section
from tests.thesis.draft_rows import drafted, section, streamed
from tests.thesis.proposals import run_with
from thesis.drafting.draft_job import LABELLED
from thesis.drafting.limits import drafting_usage
from thesis.drafting.start import DraftRequest, start_draft

__all__ = ["section"]
pytestmark = pytest.mark.django_db


def noted(section: Section, key: str, title: str, note: str) -> Citation:
    made: Citation = Citation.objects.create(
        project=section.project, cite_key=key, title=title, note=note, status="verified", tier="A", csl={"title": title}
    )
    return made


def test_findings_are_put_together(section: Section, owner: User) -> None:
    run = run_with(section.project, owner, 2)
    draft = drafted(section, owner, findings=[{"run": str(run.pk), "finding_id": f"F1.1-{n}"} for n in (1, 2)])
    assert draft.job
    assert draft.job.state == State.DONE
    (key,) = draft.cite_keys
    assert draft.latex == (
        f"Plot 1 held 1 kg of nitrogen per hectare~\\cite{{{key}}}. Plot 2 "
        f"held 2 kg of nitrogen per hectare~\\cite{{{key}}}."
    )
    assert draft.is_offline
    assert draft.notes == [LABELLED]
    assert streamed(draft).strip() == draft.latex.strip()
    assert (draft.output_tokens, draft.reserved_tokens, drafting_usage(section, owner).hour_used) == (0, 0, 1)


def test_references_where_there_are_no_findings(section: Section, owner: User) -> None:
    noted(
        section, "alder2003", "Red alder", "Soil nitrogen under red alder was 0.30% after 50 years. We thank everyone."
    )
    noted(section, "bread1999", "Bread", "Sourdough was baked at 230 degrees.")
    draft = drafted(section, owner, instructions="Soil nitrogen under alder")
    assert draft.keys == ["alder2003"]
    assert "0.30\\% after 50 years~\\cite{alder2003}." in draft.latex
    draft = drafted(section, owner, instructions="Ovens", cite_keys=["bread1999"])
    assert draft.latex == "Sourdough was baked at 230 degrees~\\cite{bread1999}."


def test_nothing_fits(section: Section, owner: User) -> None:
    noted(section, "bread1999", "Bread", "Sourdough was baked at 230 degrees.")
    draft = drafted(section, owner, instructions="Corticosteroids in intensive care")
    assert draft.job
    assert draft.job.state == State.FAILED
    assert draft.job.reason.startswith("Nothing was drafted: no finding was chosen")


def test_no_limit_of_tokens_but_the_hour(section: Section, owner: User) -> None:
    run = run_with(section.project, owner, 1)
    chosen = [{"run": str(run.pk), "finding_id": "F1.1-1"}]
    first = drafted(section, owner, findings=chosen)
    type(first).objects.filter(pk=first.pk).update(output_tokens=100_000)
    assert drafted(section, owner, findings=chosen).blocks
    with pytest.raises(Refused, match="cannot rewrite or shorten"):
        start_draft(section, owner, DraftRequest(kind="rewrite", place="whole"))
