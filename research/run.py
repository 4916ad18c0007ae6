"""A run from question to report: files -> brief -> questions -> report -> claim check.

See DESIGN, "How one request travels". All state is in the database, so `conduct` may be called again for the same run
after a crash or pause, and continues where the journal ends.
"""

from typing import Any

from asgiref.sync import sync_to_async

from analysis.datasets.uploaded_copies import files_that_are_data
from jobs.models import Job, State
from jobs.work import Stopped
from llm.engine import EngineUnavailable, choose_engine
from llm.roles import Brief, BriefAsked
from projects.models import Project
from research.claim_check.check import check_claims
from research.context.bind_files import bind_context
from research.context.routing import give_root
from research.follow_ups.follow_up_job import follow_up, give_up_waiting, is_finished, reopen_if_asked
from research.follow_ups.pipeline_upgrade import VERSION_ERRORS, prepare_to_continue, stopped_by_upgrade
from research.journal.journal import Response
from research.journal.provenance import Entry, append, header_of, journal_hash, journal_of
from research.models import Phase, Run
from research.plan.approval import plan_approval
from research.prompts.instructions import PROMPT_VERSION
from research.report.synthesis import synthesise
from research.review.citation_network import build_network
from research.review.prisma_flow import log_screening
from research.review.study_methods import assess_methods
from research.run_context.run_context import BoundFile, RunContext
from research.search.tools import tools_for
from research.setup.catalogue_choice import catalogues_of
from research.setup.profiles import ResearchProfile
from research.setup.start import no_rows
from research.supervision.supervise import supervise

_ENDS = {
    State.DONE: ("run_completed", "The run is complete."),
    State.FAILED: ("run_failed", "The run stopped."),
    State.CANCELLED: ("run_cancelled", "The run was cancelled; its findings are kept."),
}
_FIXED = {"disciplinary_scope": "Disciplines", "time_period": "Time period", "methodology_preferences": "Methods"}


async def conduct(job: Job) -> None:
    """Work the run of `job` to its end. Raise the signals of jobs.work: Paused, Cancelled, Stopped, LeaseLost."""
    try:
        project, is_local_only = await sync_to_async(_frozen)(job)
        async with choose_engine(project, local_only=is_local_only) as engine:
            inquiry = await sync_to_async(RunContext.of)(job, engine)
            async with inquiry.client:
                try:
                    await sync_to_async(_check_data)(inquiry)
                    await sync_to_async(prepare_to_continue)(inquiry)
                    await run_phases(inquiry)
                except VERSION_ERRORS as error:
                    if end := await sync_to_async(stopped_by_upgrade)(inquiry.run, error):
                        raise end from None
                    raise
                finally:
                    await sync_to_async(inquiry.put_down)()
    except EngineUnavailable as error:
        raise Stopped(str(error)) from None


def _frozen(job: Job) -> tuple[Project, bool]:
    """Return the project of the run, and whether nothing of it may leave this machine."""
    run = Run.objects.select_related("project").get(job=job)
    return run.project, ResearchProfile.model_validate(run.profile_config).is_local_only


def _check_data(inquiry: RunContext) -> None:
    """Raise Stopped when a model would read data of the thesis.

    The data, or the model, may have been added since the run was started.
    """
    if inquiry.uses_model and (
        data := files_that_are_data(inquiry.run.project, [one._asdict() for one in inquiry.files])
    ):
        raise Stopped(no_rows(data))


async def run_phases(inquiry: RunContext) -> None:
    """Work the phases of a run; each is stored step by step in the journal of `inquiry`."""
    begun = await _begin(inquiry)
    await inquiry.enter(Phase.FILES, "Looking at your files and references.")
    await bind_context(inquiry, freezes=begun.get("freezes", False))
    await give_root(inquiry)
    await inquiry.enter(Phase.BRIEF, "Writing the brief.")
    await _brief(inquiry)
    if begun.get("wants_approval"):
        await plan_approval(inquiry)
    # A finished run is not repeated: its rows have changed since.
    if not await sync_to_async(is_finished)(inquiry.run):
        await inquiry.enter(Phase.RESEARCH, "Researching.")
        await supervise(inquiry)
        await _write_up(inquiry)
        await inquiry.enter(Phase.DONE, "The report is ready.")
    await follow_up(inquiry, _write_up)


async def _write_up(inquiry: RunContext) -> None:
    """Turn the findings into a checked report; repeated when a follow-up has found something new (R17)."""
    await assess_methods(inquiry)
    await build_network(inquiry)
    await inquiry.enter(Phase.SYNTHESIS, "Writing the report from the findings.")
    draft = await synthesise(inquiry)
    if inquiry.profile.enable_claim_verification:
        await inquiry.enter(Phase.VERIFICATION, "Comparing each cited sentence with its source.")
        await check_claims(inquiry, draft)
    await log_screening(inquiry)


async def _begin(inquiry: RunContext) -> Response:
    """Return the engine, files and catalogues of the run, fixed by its first step, and if its plan needs approval."""
    choice = catalogues_of(inquiry.profile, uses_model=inquiry.uses_model)
    now = {
        "engine": {"name": inquiry.engine.name, "label": inquiry.engine.label},
        "files": [bound._asdict() for bound in inquiry.files],
        "catalogues": list(choice.asked),
        "skipped": choice.skipped,
        "wants_approval": inquiry.run.wants_approval,
        "freezes": True,  # whether a bundle of the bound files is stored; older runs have none
    }
    begun = await inquiry.fix("begin", now, lambda begun: _announce_start(inquiry, begun))
    inquiry.files = [BoundFile(**file) for file in begun["files"]]
    inquiry.catalogues, inquiry.skipped = begun["catalogues"], begun["skipped"]
    if begun["engine"]["name"] != inquiry.engine.name:
        raise Stopped(
            f"This run was started with another engine ({begun['engine']['label']}). What was found is kept; "
            "ask the question again to use the current engine."
        )
    return begun


def _announce_start(inquiry: RunContext, begun: Response) -> None:
    run = inquiry.run
    run.engine = inquiry.engine.label  # the worker's engine, which may have been set up after the run was made
    Run.objects.filter(pk=run.pk).update(engine=run.engine)
    for warning in run.warnings:
        inquiry.tell("warning", warning)
    inquiry.tell("run_started", inquiry.engine.label)
    if inquiry.uses_model:
        details = {"engine": inquiry.engine.name, "label": run.engine, "prompt_version": PROMPT_VERSION}
        inquiry.log("brief", "engine_chosen", f"{run.engine} answers.", details)
    details = equipment(inquiry.profile, begun["catalogues"], uses_model=inquiry.uses_model)
    said = (
        f"Profile {run.profile}: {', '.join(details['tools'])}; {', '.join(details['providers'])}; "
        f"style {details['style']}."
    )
    inquiry.log("brief", "tools_enabled", said, details)
    for said in begun["skipped"]:
        inquiry.say("supervision", "provider_skipped", said, {"providers": list(inquiry.profile.providers)})


def equipment(profile: ResearchProfile, catalogues: list[str], *, uses_model: bool) -> dict[str, Any]:
    """Return what a run works with, for its log: {tools, providers, style}; it asks these `catalogues` (R1)."""
    open_here = catalogues if uses_model else []  # the offline engine reads titles and abstracts only
    beside = {
        "pdf_extraction": profile.enable_pdf_extraction and bool(open_here),
        "methodology_assessment": profile.enable_methodology_assessment,
        "citation_network": profile.enable_citation_network and bool(open_here),
        "claim_verification": profile.enable_claim_verification,
    }
    return {
        "tools": [
            *(tool.name for tool in tools_for(profile, open_here)),
            *(name for name, is_on in beside.items() if is_on),
        ],
        "providers": ["library", *catalogues],
        "style": profile.citation_style,
    }


async def _brief(inquiry: RunContext) -> None:
    profile = inquiry.profile
    scope = {
        "disciplinary_scope": list(profile.disciplinary_scope),
        "time_period": [profile.time_period] if profile.time_period else [],
        "methodology_preferences": list(profile.methodology_preferences),
        "source_type_hierarchy": list(profile.source_type_hierarchy),
    }
    asked = BriefAsked(
        question=inquiry.run.question,
        academic=inquiry.academic,
        scope={key: values for key, values in scope.items() if values},
        today=inquiry.today.isoformat(),
        digest=inquiry.digest,
    )
    brief = await inquiry.ask("brief", asked, lambda answer: _briefed(inquiry, with_fixed(answer, asked)))
    inquiry.run.brief = with_fixed(brief, asked).model_dump()


def with_fixed(brief: Brief, asked: BriefAsked) -> Brief:
    """Return `brief` with the scope fixed by the profile, where an academic brief has left it out (R3)."""
    if not asked.academic:
        return brief
    settled = "\n".join([brief.text, *brief.scope_boundaries]).casefold()
    boundaries = [
        f"{label}: {', '.join(missing)}"
        for key, label in _FIXED.items()
        if (missing := [value for value in asked.scope.get(key, []) if value.casefold() not in settled])
    ]
    return brief.model_copy(
        update={
            "scope_boundaries": [*brief.scope_boundaries, *boundaries],
            "source_preferences": brief.source_preferences or asked.scope.get("source_type_hierarchy", []),
        }
    )


def _briefed(inquiry: RunContext, brief: Brief) -> None:
    Run.objects.filter(pk=inquiry.run.pk).update(brief=brief.model_dump())
    inquiry.tell("brief_generated", brief.text, summary="Key terms", lines=brief.key_terms)
    inquiry.log(
        "brief",
        "brief_generated",
        "The brief was written.",
        {
            "brief_text": brief.text,
            "scope_boundaries": brief.scope_boundaries,
            "source_preferences": brief.source_preferences,
        },
    )


def close(job: Job) -> None:
    """Record the end of a run, however it ended: the time, and the last entry of its log."""
    run = Run.objects.filter(job=job).first()
    if run is None:
        return
    if job.state != State.DONE:
        give_up_waiting(run, job.reason or _ENDS[State(job.state)][1])
        if is_finished(run):
            job.count_as_done()
    run.completed_at = job.ended_at
    run.save(update_fields=["completed_at"])
    run.refresh_from_db(fields=["provenance_length"])
    event_type, sentence = _ENDS[State(job.state)]
    journal = journal_of(run)
    details = {
        "entries": run.provenance_length + 1,
        "completed_at": header_of(run)["completed_at"],
        "steps": len(journal),
        "journal_hash": journal_hash(journal),
    }
    append(run, Entry("supervision", event_type, job.reason or sentence, details))
    if job.state == State.DONE:
        reopen_if_asked(run)
