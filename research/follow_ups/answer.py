"""Answering a follow-up question from the findings of a run, each sentence with its source (SPEC R17).

Nothing new is searched for. A sentence is dropped if it names no finding or its source does not support it; if none
remain, the answer says that the findings do not answer the question. The text of an answer is hashed in the log and
compared by a replay, so its fixed sentences may only change with PIPELINE_VERSION.
"""

import asyncio
from itertools import count
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.utils import timezone

from citations.formats.markdown import escaped, start_escaped
from claims.markers import escape_markers, guard_brackets
from claims.quotes import Span
from claims.verification import PassageWithSpans
from llm.roles import Answer, AssistAsked, ClaimToCheck, Passage, VerifyAsked
from research.journal.provenance import digest
from research.models import Finding, FollowUp, Run, Source
from research.nearest_texts import nearest
from research.plurals import counted
from research.report.references import reference_list, style_for
from research.report.synthesis import about, distinct_findings
from research.run_context.run_context import RunContext

MOST = 30  # findings that a model gets to answer from; the offline engine reads all
_STANDS = ("", "SUPPORTED", "PARTIALLY")  # verdicts with which a sentence is kept
NO_ANSWER = "Nothing that this run has found answers the question."


class Sentence(NamedTuple):
    """A sentence of the answer, the finding it is based on, and the verdict on it ("" when not checked)."""

    text: str
    finding: Finding
    verdict: str = ""


async def answer(inquiry: RunContext, asked: FollowUp) -> None:
    """Answer the question of `asked` and store the answer with it. Raises what RunContext.ask raises."""
    findings = await sync_to_async(distinct_findings)(inquiry.run)
    if inquiry.uses_model:
        texts = [f"{finding.node.question}\n{finding.content}" for finding in findings]
        findings = [findings[at] for at in await asyncio.to_thread(nearest, asked.text, texts, MOST)]
    reply = Answer(sentences=[])
    if findings:
        reply = await inquiry.ask("answer", await sync_to_async(_question)(inquiry.run, asked.text, findings))
    said = _answer_sentences(reply, findings)
    if said and inquiry.profile.enable_claim_verification:
        said = await _checked(inquiry, asked, said)
    said = [sentence for sentence in said if sentence.verdict in _STANDS]
    dropped = len(reply.sentences) - len(said)
    text = await _written(inquiry, said, reply.note if inquiry.uses_model else "", dropped)
    await inquiry.once("answered", lambda: _answered(inquiry, asked, text, said, dropped))


def _question(run: Run, text: str, findings: list[Finding]) -> AssistAsked:
    works = {row.document: row for row in run.sources.distinct_works().order_by("-id")}
    return AssistAsked(
        question=text,
        passages=[
            Passage(
                source_id=finding.finding_id,
                document=finding.source.document,
                title=finding.source.title,
                heading=finding.source.heading,
                text=guard_brackets(finding.content),
                is_file=finding.source.kind == Source.Kind.FILE,
                **about(works.get(finding.source.document, finding.source)),
            )
            for finding in findings
        ],
    )


def _answer_sentences(reply: Answer, findings: list[Finding]) -> list[Sentence]:
    """Return the sentences of `reply` that name one of `findings`, without duplicates."""
    by_id = {finding.finding_id: finding for finding in findings}
    said = {
        (one.text.strip(), one.source_id): Sentence(one.text.strip(), by_id[one.source_id])
        for one in reply.sentences
        if one.source_id in by_id and one.text.strip()
    }
    return list(said.values())


async def _checked(inquiry: RunContext, asked: FollowUp, said: list[Sentence]) -> list[Sentence]:
    """Return each sentence with its verdict, checked like the sentences of a report (R11)."""
    claims = [
        ClaimToCheck(id=f"A{asked.number}-{n}", text=one.text, passages=[_cited_by(one.finding)])
        for n, one in enumerate(said, start=1)
    ]
    verdicts = {one.id: one.verdict for one in (await inquiry.ask("check", VerifyAsked(claims=claims))).verdicts}
    return [
        one._replace(verdict=verdicts.get(claim.id, "UNSUPPORTED")) for claim, one in zip(claims, said, strict=True)
    ]


def _cited_by(finding: Finding) -> Passage:
    return PassageWithSpans(**finding.source.passage.model_dump(), places=(Span(finding.start, finding.end),))


async def _written(inquiry: RunContext, said: list[Sentence], note: str, dropped: int) -> str:
    """Return the answer as Markdown with its references; works that the report does not cite get the next numbers."""
    rows = await sync_to_async(_cited)(inquiry.run, said)
    parts: list[str] = []
    for one in said:
        is_table = "|" in one.text and "\n" in one.text
        text = escape_markers(one.text if is_table else start_escaped(" ".join(one.text.split())))
        number = next(n for n, row in rows.items() if row.public_id == one.finding.source.public_id)
        marked = f"{text}\n\n[{number}]" if is_table else f"{text} [{number}]"
        if parts and not is_table and "\n" not in parts[-1]:
            parts[-1] += f" {marked}"
        else:
            parts.append(marked)
    if not said:
        parts.append(NO_ANSWER)
    if note := " ".join(note.split()):
        parts.append(escape_markers(escaped(start_escaped(note))))
    if dropped:
        parts.append(
            f"{counted(dropped, 'sentence')} left out, for no finding bears {'it' if dropped == 1 else 'them'} out."
        )
    style = style_for(inquiry.run.query_type, inquiry.profile.citation_style)
    lines = await asyncio.to_thread(reference_list, list(rows.values()), style)
    parts += [f"[{number}] {line}" for number, line in zip(rows, lines, strict=True)]
    return "\n\n".join(parts)


def _cited(run: Run, said: list[Sentence]) -> dict[int, Source]:
    """Return the works that the answer cites, by reference number, in order."""
    works = {row.public_id: row for row in run.sources.distinct_works().order_by("-id")}
    numbers: dict[str, int] = {row.public_id: row.number for row in works.values() if row.number}
    cited = list(dict.fromkeys(one.finding.source.public_id for one in said))
    new = [public_id for public_id in cited if public_id not in numbers]
    numbers |= zip(new, count(max(numbers.values(), default=0) + 1))
    return {numbers[public_id]: works[public_id] for public_id in sorted(cited, key=numbers.__getitem__)}


def _answered(inquiry: RunContext, asked: FollowUp, text: str, said: list[Sentence], dropped: int) -> None:
    sources = counted(len({one.finding.source.document for one in said}), "source")
    sentence = f"Answered in {counted(len(said), 'sentence')} from {sources}." if said else NO_ANSWER
    sentences = [
        {"text": one.text, "finding": one.finding.finding_id, "verdict": one.verdict or "NOT_CHECKED"} for one in said
    ]
    close_follow_up(inquiry, asked, sentence, {"sentences": sentences, "dropped": dropped}, answer=text)


def close_follow_up(inquiry: RunContext, asked: FollowUp, said: str, details: dict[str, Any], **row: str) -> None:
    """Store `row`, with the answer, for the follow-up; `said` goes to the stream and, with `details`, to the log."""
    FollowUp.objects.filter(pk=asked.pk).update(**row, answered_at=timezone.now())
    details = {"number": asked.number, **details, "answer_hash": digest(row["answer"])}
    inquiry.say("synthesis", "follow_up_answered", said, details)
