"""The job that writes a draft: it asks the engine, streams the answer, and makes the proposal of it (SPEC T3, T4).

The answer is saved before it is processed, so that an attempt that replaces a killed worker calls the engine again only
if there is no answer. If a draft ends early, its text so far becomes a proposal marked as incomplete.

The offline engine writes no sentences of its own: it quotes findings and references. If no finding is chosen, it
searches the abstracts and notes of the chosen references, or of all references, for sentences that fit.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction

from citations.models import Citation
from core.errors import Refused
from core.storable_text import storable
from jobs.models import Job, JobSignal, LeaseLost, State
from jobs.work import Cancelled, Stopped
from latex.headings import headings_in
from llm.budget import BudgetSpent
from llm.engine import ConversingEngine, Engine, EngineUnavailable, choose_engine
from llm.errors import Failed, Refusal, Rejected, Truncated, Unreachable
from llm.offline.drafts import assist
from llm.prompt import Prompt
from llm.roles import AssistAsked, DraftAsked, DraftFinding, Passage
from llm.routing import ROUTES, model_for
from llm.tools import Reply
from projects.models import Project
from research.nearest_texts import nearness
from research.plurals import counted
from research.run_context.ask_engine import failure_sentence
from research.search.library_index import index_references, search
from sections.models import Section
from text.sentences import sentences
from thesis.drafting.limits import LEAST, DraftBudget, check_tokens, count_lost_call
from thesis.drafting.proposal import settle_proposal
from thesis.drafting.start import findings_of, without_data_quotes
from thesis.drafting.streaming import DraftStream, streamed_text
from thesis.models import Draft
from thesis.prompts import MOST_ABSTRACT, PROMPT_VERSION, material, prompt_for, role_for, section_kind
from thesis.run_references import keys_for

log = logging.getLogger("scholium.drafting")

DONE = "draft_done"
TURNS = 6  # the last drafts of a conversation that a model is shown
MOST_REFERENCES = 300  # references of the thesis listed in the prompt if the person chose none
MOST_ABSTRACTS = 60  # with more chosen references than this, abstracts are left out of the prompt
ROUNDS = 3  # calls tried with fewer tokens while other drafts use up the rest
UNCHANGED = "Your text was not changed."
LABELLED = (
    "The offline engine wrote no sentence of its own: these are the words of findings and references. Treat them as "
    "quotations."
)
OF_EACH = 2  # sentences from each chosen reference
NOTHING = (
    "Nothing was drafted: no finding was chosen, and no abstract or note of a reference fits. Choose findings of a "
    "run, or add a note to a reference."
)
_ADVICE: tuple[tuple[type[Failed], str], ...] = (
    (Refusal, "Use other words, or choose other findings."),
    (Truncated, "Choose fewer findings or references, or a shorter part of the text."),
    (Unreachable, "Try again when the service is available."),
    (Rejected, "Correct the setting and try again."),
)


async def write(job: Job) -> None:
    """Write the draft of `job`. Raises the signals of jobs.work: Cancelled, Paused, Stopped, LeaseLost."""
    draft = await sync_to_async(_draft_of)(job)
    signal = None
    if not draft.stop_reason:
        if why := draft.project.why_not_drafting:  # drafting was switched off while the job waited
            raise Stopped(f"{why} {UNCHANGED}")
        try:
            engine = choose_engine(draft.project)
        except EngineUnavailable as error:
            raise Stopped(f"{error} {UNCHANGED}") from None
        async with engine:
            signal = await _ask(draft, job, engine)
        if signal is not None and not draft.answer.strip():
            raise signal
    await sync_to_async(_settle)(draft, job, is_whole=signal is None)
    if signal is not None:
        raise signal


def finish_draft(job: Job) -> None:
    """Clean up after the job of a draft: release its tokens, and keep the text that a killed worker had received."""
    draft = Draft.objects.select_related("project", "section", "created_by").filter(job=job).first()
    if draft is None:
        return
    count_lost_call(draft, job, role_for(draft.section, draft.kind))
    Draft.objects.filter(pk=draft.pk).update(reserved_tokens=0)
    if job.state == State.DONE or draft.stop_reason:
        return
    heard, _ = streamed_text(job)
    if heard.strip():
        try:
            with transaction.atomic():
                settle_proposal(draft, heard, stop_reason="cancelled" if job.state == State.CANCELLED else "cut")
        except Exception:  # an error here must not keep the job from ending
            log.exception("draft %s: the text received before the worker was killed could not be saved", draft.pk)


def _draft_of(job: Job) -> Draft:
    if draft := Draft.objects.select_related("project", "section", "created_by", "follows").filter(job=job).first():
        return draft
    raise Stopped("The section that this draft was for was deleted.")


async def _ask(draft: Draft, job: Job, engine: Engine) -> JobSignal | None:
    """Get the engine's answer for `draft` and save it. Return the signal that ended it early, or None."""
    await sync_to_async(_begin)(draft, job, engine)
    stream = DraftStream(job)
    try:
        if isinstance(engine, ConversingEngine):
            reply = await _converse(draft, job, engine, stream)
            text, stop_reason, redacted = reply.text, reply.stop_reason, reply.redacted
        else:
            text, stop_reason, redacted = await _extract(draft, engine), "end_turn", ()
            stream.feed(text, 1)
        await sync_to_async(_save_answer)(draft, job, text, stop_reason, redacted)
        with suppress(Cancelled):  # cancelled too late: the answer is complete
            await stream.end()
    except Cancelled as signal:
        await sync_to_async(_save_answer)(draft, job, stream.text, "cancelled", ())
        return signal
    except Failed as failed:
        text = stream.text if isinstance(failed, Unreachable) else ""  # text before a refusal is not a draft
        await sync_to_async(_save_answer)(draft, job, text, "cut", getattr(failed, "redacted", ()))
        advice = next((words for kind, words in _ADVICE if isinstance(failed, kind)), "")
        kept = "The text so far is kept as a proposal." if draft.answer.strip() else UNCHANGED
        return Stopped(" ".join(part for part in (failure_sentence(failed), kept, advice) if part))
    if not draft.answer.strip():
        return Stopped(f"{_empty(stop_reason) if isinstance(engine, ConversingEngine) else NOTHING} {UNCHANGED}")
    return None


def _empty(stop_reason: str) -> str:
    return (
        "The model reached its token limit before it wrote anything."
        if stop_reason == "max_tokens"
        else "The model's answer was empty. Try again, and say more about what the text should cover."
    )


def _begin(draft: Draft, job: Job, engine: Engine) -> None:
    role = role_for(draft.section, draft.kind)
    draft.engine, draft.prompt_version = engine.label, PROMPT_VERSION
    draft.model = model_for(role) if isinstance(engine, ConversingEngine) else ""
    draft.save(update_fields=["engine", "model", "prompt_version"])
    if not job.events.filter(kind="draft_started").exists():
        job.emit("draft_started", engine.label, sure_of_lease=job.lease_by)


def _save_answer(draft: Draft, job: Job, text: str, stop_reason: str, redacted: Any) -> None:
    """Save the answer before it is processed. Raises LeaseLost if another worker has taken over the draft."""
    draft.answer, draft.stop_reason = storable(text), stop_reason[:40] if text.strip() else ""
    draft.redacted = [{"kind": kind, "value": value} for kind, value in redacted] or draft.redacted
    with transaction.atomic():
        job.hold(sure_of_lease=job.lease_by)
        draft.save(update_fields=["answer", "stop_reason", "redacted"])


async def _converse(draft: Draft, job: Job, engine: ConversingEngine, stream: DraftStream) -> Reply:
    """Return the model's answer, and stream it meanwhile.

    Raises the signals of jobs.work, Failed, or Stopped if no tokens are left.
    """
    role = role_for(draft.section, draft.kind)
    prompt, history = await sync_to_async(_prompt)(draft)
    purse = DraftBudget(draft, job)
    await sync_to_async(count_lost_call)(draft, job, role, prompt.text())

    async def hear(piece: str, _: int) -> None:
        stream.feed(piece, purse.number)

    for _ in range(ROUNDS):
        most = await sync_to_async(purse.most)(ROUTES[role].max_tokens)
        if most < LEAST:
            break
        with suppress(BudgetSpent):
            calling = engine.converse(role, prompt, history, purse=purse, on_text=hear, max_tokens=most)
            return await _streamed_reply(asyncio.ensure_future(calling), stream)
    raise await sync_to_async(_no_tokens)(draft)


async def _streamed_reply(calling: "asyncio.Future[Reply]", stream: DraftStream) -> Reply:
    """Return the reply of the call while its text is streamed. The call is cancelled if the job has to stop."""
    stream.begin()
    telling = asyncio.ensure_future(stream.run())
    try:
        both: list[asyncio.Future[Any]] = [calling, telling]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not calling.done():
            calling.cancel()
            with suppress(asyncio.CancelledError, Failed):
                await calling  # so that the tokens it used are counted
            if calling.cancelled() or calling.exception():
                telling.result()
    finally:
        calling.cancel()
        stream.stop()
        with suppress(JobSignal):
            await telling
    return calling.result()


def _no_tokens(draft: Draft) -> Stopped:
    Draft.objects.filter(pk=draft.pk).update(reserved_tokens=0)
    try:
        with transaction.atomic():
            check_tokens(draft.section)
    except Refused as refused:
        return Stopped(refused.message)
    return Stopped(f"Other drafts of this thesis used its remaining tokens. {UNCHANGED} Try again.")


async def _extract(draft: Draft, engine: Engine) -> str:
    asked = await sync_to_async(_offline_request)(draft)
    return (await engine.ask(asked)).answer.latex if asked.findings else ""


def _prompt(draft: Draft) -> tuple[Prompt, list[dict[str, Any]]]:
    """Return the prompt of `draft`, and the earlier messages of its conversation."""
    turns = [draft]
    while len(turns) < TURNS and (before := turns[0].follows) and before.answer.strip() and not before.is_offline:
        turns.insert(0, before)
    told = [(turn, _material(turn, names_all=turn is turns[0])) for turn in turns]
    return prompt_for(draft.project, draft.section, told)


def _material(draft: Draft, *, names_all: bool) -> tuple[str, ...]:
    """Return the material of the prompt of `draft`. With `names_all`, all references are listed if none was chosen."""
    rows = Citation.objects.filter(project=draft.project_id).order_by("serial", "cite_key")
    if draft.cite_keys:
        rows = rows.filter(cite_key__in=draft.cite_keys)
    elif not names_all:
        rows = rows.none()
    findings = _findings(draft)  # before the references are read, because it may add some
    has_room = 0 < len(draft.cite_keys) <= MOST_ABSTRACTS
    references = [
        {
            "key": row.cite_key,
            "title": row.title,
            "authors": row.authors,
            "year": row.year,
            "abstract": row.note[:MOST_ABSTRACT] if has_room else "",
        }
        for row in rows.exclude(status__in=[Citation.Status.NOT_FOUND, Citation.Status.CONFLICT])[:MOST_REFERENCES]
    ]
    return material(draft, findings, references, _headings(draft) if names_all else [])


def _findings(draft: Draft) -> list[dict[str, Any]]:
    rows = findings_of(draft.project, draft.findings)
    if not draft.is_offline:  # the data may have been uploaded, or the model set up, after the draft was requested
        rows = without_data_quotes(draft.project, rows)
    if not rows:
        return []
    keys = keys_for(draft.project, draft.created_by or draft.project.owner, [row.source for row in rows])
    return [
        {"key": keys[row.source_id], "says": row.content, "quote": row.quote, "question": row.node.question}
        for row in rows
        if row.source_id in keys
    ]


def _headings(draft: Draft) -> list[str]:
    others = Section.objects.filter(project=draft.project_id).exclude(pk=draft.section_id).order_by("number", "pk")
    return [
        line
        for section in others
        for line in (
            section.title,
            *(f"{'  ' * max(1, heading.level - 1)}{heading.title}" for heading in headings_in(section.latex)),
        )
    ]


def _settle(draft: Draft, job: Job, *, is_whole: bool) -> None:
    """Turn the answer into a proposal and emit that it is ready. Raises Stopped if the answer has no text."""
    settle_proposal(
        draft,
        draft.answer,
        stop_reason=draft.stop_reason,
        notes=[LABELLED] if draft.is_offline else [],
        markdown=not draft.is_offline,
    )
    if is_whole and not draft.latex.strip():
        raise Stopped(f"The answer contained no text for the section. {UNCHANGED}")
    if is_whole and not job.events.filter(kind=DONE).exists():
        with suppress(LeaseLost):
            job.emit(
                DONE,
                f"The proposal is ready: {counted(len(draft.blocks), 'paragraph')}, "
                f"{counted(len(draft.keys), 'reference')}.",
                details={"draft": str(draft.pk)},
            )


def _offline_request(draft: Draft) -> DraftAsked:
    """Return the request to the offline engine: the findings to put together, each with the key to cite.

    Without findings these are sentences of references that fit; there may be none.
    """
    project, section = draft.project, draft.section
    found = [DraftFinding(content=row["says"], cite_key=row["key"]) for row in _findings(draft)]
    if not found:
        title = section.title if section_kind(section) == "other" else ""
        question = " ".join(filter(None, [title, draft.instructions or project.question or project.title]))
        found = _of_chosen(draft, question) if draft.cite_keys else _of_library(project, question)
    return DraftAsked(section_title=section.title, instructions=draft.instructions, findings=found)


def _of_chosen(draft: Draft, question: str) -> list[DraftFinding]:
    """Return the sentences of each chosen reference nearest to `question`, or its first ones if none is near."""
    rows = Citation.objects.filter(project=draft.project_id, cite_key__in=draft.cite_keys)
    by_key = dict(rows.values_list("cite_key", "note"))
    found = []
    for key in draft.cite_keys:
        said = [one.text for one in sentences(by_key.get(key, ""))]
        scores = nearness(question, said) if said else []
        best = sorted(range(len(said)), key=lambda place: -scores[place])[:OF_EACH]
        found += [DraftFinding(content=said[place], cite_key=key) for place in sorted(best)]
    return found


def _of_library(project: Project, question: str) -> list[DraftFinding]:
    index_references(project)
    passages = [
        Passage(source_id=row.citation.cite_key, document=row.document, title=row.title, text=row.text)
        for row in search(project, question, files=(), limit=20)
        if row.citation and row.text.strip()
    ]
    return [
        DraftFinding(content=one.text, cite_key=one.source_id)
        for one in assist(AssistAsked(question=question, passages=passages)).sentences
    ]
