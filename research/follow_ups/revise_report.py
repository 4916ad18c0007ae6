"""Looking into a gap, or researching a question again, and rewriting the report with what was found (SPEC R17).

The answer to such a follow-up is hashed in the log and compared by a replay, so the sentences of `_told` and the notes
on closed gaps may only change with PIPELINE_VERSION.
"""

from collections.abc import Awaitable, Callable

from asgiref.sync import sync_to_async

from jobs.work import Stopped
from research.context.routing import route
from research.follow_ups.answer import close_follow_up
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Claim, Finding, FollowUp, Gap, Node, Phase, Run, Source
from research.plurals import counted
from research.report.draft import partial_label
from research.run_context.run_context import RunContext
from research.search.library_index import index_references
from research.supervision.question_tree import look_into
from research.supervision.record_findings import close_gaps

_RUN = ("title", "report", "query_type", "fidelity", "network")  # fields of a run that belong to its report
_NODE = ("state", "said", "reasoning")
_CLAIM = [field.name for field in Claim._meta.fields if field.name not in ("id", "run", "source")]


def state_before(run: Run, asked: FollowUp) -> Response:
    """Return what a follow-up may change, for `restore_report`: report, claims, findings, gaps and questions."""
    run.refresh_from_db(fields=_RUN)
    numbered = run.sources.exclude(number=None).order_by("id").values_list("source_id", "number")
    found = run.findings.filter(is_superseded=False, node__number=asked.about).order_by("id")
    return {
        **{name: getattr(run, name) for name in _RUN},
        "claims": [dict(claim) for claim in run.claims.order_by("id").values(*_CLAIM, "source__source_id")],
        "numbers": dict(numbered),
        "findings": list(found.values_list("finding_id", flat=True)),
        "gaps": list(run.gaps.open().order_by("gap_id").values_list("gap_id", flat=True)),
        "nodes": {node.number: {name: getattr(node, name) for name in _NODE} for node in run.nodes.all()},
    }


def restore_report(run: Run, before: Response) -> None:
    """Restore the report and what it is based on from `before`, which `kept` returned. New findings stay."""
    Run.objects.filter(pk=run.pk).update(**{name: before[name] for name in _RUN})
    sources = {source.source_id: source for source in run.sources.all()}
    for source in sources.values():
        source.number = before["numbers"].get(source.source_id)
    Source.objects.bulk_update(sources.values(), ["number"])
    run.claims.all().delete()
    # A claim without a marker has no source.
    Claim.objects.bulk_create(
        Claim(run=run, source=sources.get(row.pop("source__source_id")), **row) for row in map(dict, before["claims"])
    )
    run.findings.filter(finding_id__in=before["findings"]).update(is_superseded=False)
    run.gaps.filter(gap_id__in=before["gaps"]).update(resolution_notes="")
    for node in run.nodes.filter(number__in=before["nodes"]):
        Node.objects.filter(pk=node.pk).update(**before["nodes"][node.number])


async def revise(
    inquiry: RunContext, asked: FollowUp, begun: Response, write_up: Callable[[RunContext], Awaitable[None]]
) -> None:
    """Look into the gap, or research the question again, and rewrite the report if something new was found."""
    await inquiry.enter(Phase.RESEARCH, "Researching what was asked.")
    # References that were added to the thesis since are searched, too.
    await inquiry.journal.step("references", "read", {}, lambda: _index(inquiry))
    gaps = inquiry.run.gaps.select_related("node")
    gap = await gaps.aget(gap_id=asked.about) if asked.kind == FollowUp.Kind.EXTEND else None
    if gap:
        node = await _node_for(inquiry, gap)
        await route(inquiry, gap.node, [node], [gap.description])
        await look_into(inquiry, node, gap.suggested_queries, [gap.gap_id])
    else:
        node = await inquiry.run.nodes.aget(number=asked.about)
        said = f"Question {asked.about} is researched again."
        await inquiry.once("again", lambda: close_gaps(inquiry, node.gaps.order_by("id"), said))
        await look_into(inquiry, node)
    found = await sync_to_async(_new)(inquiry.run, node, begun["before"])
    if gap:
        await inquiry.once("settled", lambda: _settle_gap(inquiry, gap, node, found))
    else:
        await inquiry.once("settled", lambda: _settle_node(inquiry, node, begun["before"], found))
    if found:
        # The verdicts belong to the sentences of the old report.
        await inquiry.once("unchecked", lambda: inquiry.run.claims.all().delete())
        await write_up(inquiry)
        await sync_to_async(_check_whole)(inquiry.run, begun["before"]["report"])
    said = await sync_to_async(_result_text)(inquiry.run, asked, node, found)
    replaced = begun["before"]["report"] if found else ""
    details = {"report_before_hash": digest(replaced)} if replaced else {}
    await inquiry.once(
        "answered", lambda: close_follow_up(inquiry, asked, said, details, answer=said, report_before=replaced)
    )
    await inquiry.enter(Phase.DONE, "The report was rewritten." if found else "The report stays as it is.")


@sync_to_async
def _index(inquiry: RunContext) -> Response:
    return {"references": index_references(inquiry.run.project)}


async def _node_for(inquiry: RunContext, gap: Gap) -> Node:
    """Return a new node for `gap`, the next one below the node that named it."""

    async def call() -> Response:
        numbers = [
            int(number.rpartition(".")[2]) async for number in gap.node.children.values_list("number", flat=True)
        ]
        return {"number": f"{gap.node.number}.{max(numbers, default=0) + 1}"}

    def record(response: Response) -> None:
        node = Node.objects.create(
            run=inquiry.run,
            parent=gap.node,
            number=response["number"],
            depth=gap.node.depth + 1,
            topic=f"{gap.gap_id}: {gap.description}"[:200],
            perspective=gap.node.perspective,
            question=f"{gap.node.question} In particular, what was missing: {gap.description}",
            round=gap.round,
        )
        inquiry.tell("node_decomposed", f"The gap {gap.gap_id} became question {node.number}.", node=node)

    response = await inquiry.journal.step("node", "note", {}, call, record)
    return await inquiry.run.nodes.aget(number=response["number"])


def _check_whole(run: Run, before: str) -> None:
    """Raise Stopped when the new report is incomplete and the earlier one was not."""
    run.refresh_from_db(fields=["report"])
    if (missing := partial_label(run.report)) and not partial_label(before):
        raise Stopped(f"The new report is incomplete, so the earlier one stays. {missing}")


def _new(run: Run, node: Node, before: Response) -> list[Finding]:
    """Return the findings of `node` that are new: it did not have them before, and no other node has them."""
    standing = run.findings.filter(is_superseded=False)
    known = set(standing.exclude(node=node).values_list("source_id", "start", "end")) if not before["findings"] else ()
    rows = standing.filter(node=node).exclude(finding_id__in=before["findings"]).select_related("source")
    return [row for row in rows.order_by("id") if (row.source_id, row.start, row.end) not in known]


def _settle_gap(inquiry: RunContext, gap: Gap, node: Node, found: list[Finding]) -> None:
    """Close the gap if its question was answered; otherwise keep it open, without naming it a second time."""
    node.refresh_from_db()
    if not found:
        node.findings.update(is_superseded=True)  # other nodes have the same quotes
        close_gaps(inquiry, node.gaps.order_by("id"), f"The same as {gap.gap_id}, which stays open.")
        _restate(node, Node.State.GAP, "Nothing new")
    elif node.state == Node.State.ENOUGH:
        notes = f"Question {node.number} answered it with {counted(len(found), 'finding')}."
        close_gaps(inquiry, inquiry.run.gaps.filter(pk=gap.pk), notes)
        parent = gap.node
        if parent.state == Node.State.GAP and not inquiry.run.gaps.open().filter(node=parent).exists():
            _restate(parent, Node.State.ENOUGH, f"Enough, with {node.number}")
    _look_up(inquiry.run, gap.node)


def _settle_node(inquiry: RunContext, node: Node, before: Response, found: list[Finding]) -> None:
    """Log that new findings replace the earlier ones of the node; if there are none, restore the earlier state."""
    node.refresh_from_db()
    if found:
        if before["findings"]:
            said = f"{node.number}: {counted(len(found), 'finding')} replaced {len(before['findings'])}."
            by = [finding.finding_id for finding in found]
            details = {"node": node.number, "superseded": before["findings"], "by": by}
            inquiry.log("supervision", "findings_superseded", said, details)
    elif before["findings"] or node.children.exists():
        gaps = node.gaps.order_by("id")
        close_gaps(inquiry, gaps.exclude(gap_id__in=before["gaps"]), f"What {node.number} found earlier stands.")
        for gap in gaps.filter(gap_id__in=before["gaps"]):
            Gap.objects.filter(pk=gap.pk).update(resolution_notes="")
            details = {"gap_id": gap.gap_id, "reason": f"Question {node.number} found nothing new."}
            inquiry.log("supervision", "gap_reopened", f"{gap.gap_id} is open again: {gap.description}", details)
        Node.objects.filter(pk=node.pk).update(**before["nodes"][node.number])
    # The state of a question with parts follows from its parts.
    _look_up(inquiry.run, node.children.first() or node)


def _look_up(run: Run, node: Node) -> None:
    """Update the states of the questions above `node` from the states of their parts."""
    above = node.parent
    while above is not None:
        parts = list(above.children.order_by("id"))
        missing = [part.number for part in parts if part.state != Node.State.ENOUGH]
        standing = run.findings.filter(is_superseded=False, node__number__startswith=f"{above.number}.").count()
        if missing:
            _restate(above, Node.State.GAP, f"{counted(standing, 'finding')}; open: {', '.join(missing)}"[:200])
        else:
            _restate(above, Node.State.ENOUGH, f"{counted(len(parts), 'part')}, {counted(standing, 'finding')}")
        above = above.parent


def _restate(node: Node, state: Node.State, said: str) -> None:
    node.state, node.said = state, said
    node.save(update_fields=["state", "said"])


def _result_text(run: Run, asked: FollowUp, node: Node, found: list[Finding]) -> str:
    """Return the result of the follow-up in sentences; they are its answer."""
    if found:
        sources = counted(len({finding.source.document for finding in found}), "source")
        said = f"Question {node.number} found {counted(len(found), 'finding')} in {sources}."
    elif asked.kind == FollowUp.Kind.RERUN:
        said = f"Question {node.number} found nothing new this time; what was found before stands."
    else:
        said = f"Question {node.number} found nothing new on it."
    if asked.kind == FollowUp.Kind.EXTEND:
        is_open = run.gaps.open().filter(gap_id=asked.about).exists()
        said += f" The gap {asked.about} {'stays open' if is_open else 'is closed'}."
    return f"{said} The report {'was written anew' if found else 'stays as it is'}."
