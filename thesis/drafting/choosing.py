"""What a draft is made of: findings of finished runs, and references (SPEC T3)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from analysis.datasets.twins import also_data
from citations.models import Citation
from citations.other_keys import rows_cited
from core.errors import Refused
from jobs.models import State
from projects.models import Project
from research.models import Finding, Run
from research.nearest import nearest, nearness
from sections.models import Section

MOST_FINDINGS = 200  # of one draft
MOST_KEYS = 300
MOST_RUNS = 5  # the latest finished ones that findings are looked for in
FITTING = 40  # findings that are chosen where a person chose none

Ref = dict[str, str]  # {"run": id, "finding_id": "F3"}


def check_findings(project: Project, wanted: Iterable[Mapping[str, Any]]) -> list[Ref]:
    """`wanted` as it is kept with a draft, each finding once. Raises Refused for one that no run of `project` has."""
    try:
        refs = [{"run": str(UUID(str(one["run"]))), "finding_id": str(one["finding_id"])} for one in wanted]
    except (KeyError, TypeError, ValueError):
        raise Refused("A finding is named by its run and its own id: F1.2-3, say.", field="findings") from None
    refs = list({(ref["run"], ref["finding_id"]): ref for ref in refs}.values())
    if len(refs) > MOST_FINDINGS:
        raise Refused(
            f"Choose at most {MOST_FINDINGS} findings for one draft; these are {len(refs)}.", field="findings"
        )
    there = {(str(one.run_id), one.finding_id) for one in findings_of(project, refs)}
    for ref in refs:
        if (ref["run"], ref["finding_id"]) not in there:
            raise Refused(f"There is no finding {ref['finding_id'][:20]} in that run of this thesis.", field="findings")
    return refs


def findings_of(project: Project, refs: Sequence[Mapping[str, str]]) -> list[Finding]:
    """The findings that `refs` name, in their order, with run, question and source. One that is gone is left out."""
    if not refs:
        return []
    rows = Finding.objects.filter(
        run__project=project,
        run__in={ref["run"] for ref in refs},
        finding_id__in={ref["finding_id"] for ref in refs},
    ).select_related("run", "node", "source__file")
    by_ref = {(str(row.run_id), row.finding_id): row for row in rows}
    return [by_ref[named] for ref in refs if (named := (ref["run"], ref["finding_id"])) in by_ref]


def without_data(project: Project, findings: Sequence[Finding]) -> list[Finding]:
    """Those of `findings` that do not quote rows of data of the thesis, which no model is shown. `source.file` comes with
    each. One query."""
    files = {row.source.file for row in findings if row.source.file is not None}
    about = [{"name": file.name, "sha256": file.sha256, "format": file.format} for file in files]
    data = set(also_data(project, about))
    return [row for row in findings if row.source.file is None or row.source.file.name not in data]


def refuse_data(project: Project, refs: Sequence[Mapping[str, str]]) -> None:
    """Raise Refused when a finding that `refs` name quotes rows of data of the thesis: a model would be shown them."""
    rows = findings_of(project, refs)
    shown = {row.pk for row in without_data(project, rows)}
    if quoting := next((row for row in rows if row.pk not in shown), None):
        raise Refused(
            f"Finding {quoting.finding_id} quotes rows of {quoting.source.document}, which is also data of this thesis. "
            "No model is shown the rows of data. Leave it out, and put in the result of an analysis instead.",
            field="findings",
            code="is_data",
            status=409,
        )


def check_keys(project: Project, wanted: Iterable[str]) -> list[str]:
    """`wanted` cite keys, each once, an other key as its reference's own. Raises Refused for one that `project` has not."""
    keys = list(dict.fromkeys(key.strip() for key in wanted if key.strip()))
    if len(keys) > MOST_KEYS:
        raise Refused(f"Choose at most {MOST_KEYS} references for one draft; these are {len(keys)}.", field="cite_keys")
    there = rows_cited(Citation.objects.filter(project=project).only("cite_key"), project, keys)
    for key in keys:
        if key not in there:
            raise Refused(f"This thesis has no reference {key[:200]}.", field="cite_keys")
    return list(dict.fromkeys(there[key].cite_key for key in keys))


def fitting(section: Section, instructions: str = "", most: int = FITTING) -> list[Ref]:
    """Findings of the thesis's latest finished runs that come nearest to the section's title and `instructions`.

    None that shares no word with them, unless they say nothing that a finding could share, as "Discussion".
    """
    runs = Run.objects.filter(project=section.project_id, job__state=State.DONE).order_by("-created_at")[:MOST_RUNS]
    rows = Finding.objects.filter(run__in=[run.pk for run in runs], is_superseded=False)
    findings = list(rows.select_related("node", "source__file").order_by("-run__created_at", "id"))
    findings = without_data(section.project, findings)
    findings = list({" ".join(row.content.split()).casefold(): row for row in reversed(findings)}.values())[::-1]
    if not findings:
        return []
    asked = f"{section.title}. {instructions}".strip()
    texts = [f"{row.node.question}\n{row.content}" for row in findings]
    scores = nearness(asked, texts)
    if any(scores):
        places = sorted(range(len(texts)), key=lambda place: -scores[place])[:most]
        chosen = [findings[place] for place in sorted(places) if scores[place]]
    else:
        chosen = [findings[place] for place in nearest(section.project.question or asked, texts, most)]
    return [{"run": str(row.run_id), "finding_id": row.finding_id} for row in chosen]
