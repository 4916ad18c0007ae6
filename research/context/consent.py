"""Consent to sending personal data: a user decides before it goes to a model on another machine (SPEC X2).

The files are read and scanned on this machine. When personal data was found and the engine is remote, the run waits
once, before its first question to the model. The journal stores what was found, which engine it would go to and what
the user decided; from then on the run, and each replay of it, relies on the journal alone.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from jobs.models import IDLE
from jobs.work import Stopped, WaitsForUser
from llm.claude import ClaudeEngine
from llm.claude.client import host_of
from llm.engine import Engine
from projects.models import User
from research.journal.journal import Response
from research.models import Run
from research.plurals import counted
from research.run_context.run_context import RunContext
from text.personal_data import counts_in_words
from untrusted.file_names import shortened

Personal = dict[str, dict[str, int]]  # by file name: what looks like personal data, {kind: count}

FOUND, DECIDED = "consent/found", "consent/decided"  # keys of journal steps
SEND, LEAVE_OUT = "send", "leave_out"  # the decisions that a user can make
STAYS = "stays"  # no decision was needed: by the time the run went on, its engine was on this machine
REASON = "It holds what looks like personal data; a person left it out of this run."  # part of reports
CONSENT_NEEDED = "First decide what to do with the files that contain personal data. The run then continues by itself."
_NAMED = 3  # files that a sentence names


async def apply_consent(inquiry: RunContext, personal: Mapping[str, Mapping[str, int]]) -> None:
    """Apply the user's decision on files with personal data; `personal` is {file name: {kind: count}}.

    Call this when all files are read, before the engine is asked anything. A file that is left out moves from
    `inquiry.files` to `inquiry.left_out`, with the reason. Raises WaitsForUser while nobody has decided, and Stopped
    when the files would go to another address than the one that was agreed to.
    """
    flagged = {name: dict(counts) for name, counts in personal.items() if counts}
    if not flagged:
        return

    async def look() -> Response:
        engine = inquiry.engine
        return {
            "is_remote": engine.is_remote,
            "engine": engine.label,
            "host": engine_host(engine),
            "files": flagged,
            "total": len(inquiry.files),
        }

    found = await inquiry.journal.step(FOUND, "note", flagged, look, lambda found: _found(inquiry, found))
    decided = await _decision(inquiry, found) if found["is_remote"] else {"decision": STAYS}
    if decided["decision"] == LEAVE_OUT:
        inquiry.left_out = dict.fromkeys(flagged, REASON)
        inquiry.files = [bound for bound in inquiry.files if bound.name not in flagged]
        return
    # The settings may have changed since the decision: nobody agreed to this address.
    agreed = found["host"] if decided["decision"] == SEND else ""
    if inquiry.engine.is_remote and engine_host(inquiry.engine) != agreed:
        raise Stopped(
            f"{summary(found)} They were to {f'go to {agreed}' if agreed else 'stay on this machine'}, but the model "
            f"is now at {engine_host(inquiry.engine)}. What was found is kept. "
            "Ask the question again to decide about that."
        )


async def _decision(inquiry: RunContext, found: Response) -> Response:
    """Return the user's decision: {decision, by, at, files}. Raises WaitsForUser while there is none."""
    files = found["files"]

    async def call() -> Response:
        given = await Run.objects.values_list("consent", flat=True).aget(pk=inquiry.run.pk)
        if given:
            return {**given, "files": files}
        if not inquiry.engine.is_remote:
            return {"decision": STAYS}
        they = "it" if len(files) == 1 else "they"
        raise WaitsForUser(
            f"{summary(found)} Decide whether {they} may be sent to {found['engine']}. Nothing has been sent yet."
        )

    return await inquiry.journal.step(DECIDED, "note", files, call, lambda decided: _decided(inquiry, found, decided))


def engine_host(engine: Engine) -> str:
    """Return the host and port that `engine` sends its requests to; "" for an engine on this machine."""
    return host_of(engine.url) if isinstance(engine, ClaudeEngine) and engine.is_remote else ""


def summary(found: Mapping[str, Any]) -> str:
    """Return a sentence like "1 of your 3 files holds what looks like personal data: a.md (1 IBAN)."."""
    files = found["files"]
    named = [f"{shortened(name)} ({counts_in_words(counts)})" for name, counts in list(files.items())[:_NAMED]]
    listed = ", ".join([*named, f"{len(files) - _NAMED:,} more"] if len(files) > _NAMED else named)
    holds = "holds" if len(files) == 1 else "hold"
    return f"{len(files):,} of your {counted(found['total'], 'file')} {holds} what looks like personal data: {listed}."


def _found(inquiry: RunContext, found: Response) -> None:
    said = f"{summary(found)}{'' if found['is_remote'] else ' This stays on this machine.'}"
    inquiry.say("binding", "personal_data_found", said, found, summary="Found", lines=_lines(found["files"]))


def _decided(inquiry: RunContext, found: Response, decided: Response) -> None:
    """Store the decision with the run and write its event and its log entry."""
    count = counted(len(found["files"]), "file")
    if decided["decision"] == STAYS:
        said = f"The model is on this machine now: {count} with what looks like personal data stay here."
        return inquiry.say("binding", "personal_data_stays", said, decided)
    inquiry.run.consent = decided
    Run.objects.filter(pk=inquiry.run.pk).update(consent=decided)
    files = f"{count} with what looks like personal data"
    if decided["decision"] == SEND:
        kind, said = "personal_data_consented", f"{decided['by']} allowed {files} to be sent to {found['engine']}."
    else:
        kind, said = "personal_data_left_out", f"{decided['by']} left {files} out."
        count_files(inquiry, ready=-len(found["files"]), failed=len(found["files"]))
    details = {**decided, "engine": found["engine"], "host": found["host"]}
    inquiry.say("binding", kind, said, details, summary="Files", lines=_lines(found["files"]))


def count_files(inquiry: RunContext, ready: int = 0, failed: int = 0, *, is_reading: bool | None = None) -> None:
    """Add to the run's counts of ready and failed files, and update its processing status (SPEC X10).

    The status stays "parsing" until a call passes `is_reading=False`.
    """
    was = inquiry.run.context_processing
    ready, failed = was["files_ready"] + ready, was["files_error"] + failed
    goes_on = was["status"] == "parsing" if is_reading is None else is_reading
    status = "parsing" if goes_on else "ready" if not failed else "partial" if ready else "unusable"
    inquiry.run.context_processing = {**was, "status": status, "files_ready": ready, "files_error": failed}
    Run.objects.filter(pk=inquiry.run.pk).update(context_processing=inquiry.run.context_processing)


def _lines(files: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [f"{name}: {counts_in_words(counts)}" for name, counts in files.items()]


# Pages, API and commands


class PersonalDataFound(NamedTuple):
    """The personal data found in the files of a run; `engine` and `host` would receive it, `host` is "" if nobody."""

    files: Personal
    total: int
    engine: str
    host: str

    @property
    def said(self) -> str:
        """Return what was found as a sentence."""
        return summary(self._asdict())


def found_in(run: Run) -> PersonalDataFound | None:
    """Return the personal data found in the files of `run`; None if there is none or they were not scanned yet."""
    response = run.steps.filter(key=FOUND).values_list("response", flat=True).first()
    return PersonalDataFound(**{name: response[name] for name in PersonalDataFound._fields}) if response else None


def consent_note(run: Run) -> str:
    """Return a sentence for the page of `run` on its files with personal data; "" if there are none or none decided."""
    found = found_in(run) if run.files else None
    if found is None or (found.host and not run.consent):
        return ""
    them = "it" if len(found.files) == 1 else "them"
    if run.consent.get("decision") == LEAVE_OUT:
        return f"{found.said} {run.consent['by']} left {them} out of this run."
    if run.consent.get("files"):
        return f"{found.said} {run.consent['by']} allowed {them} to be sent to {found.engine}."
    return f"{found.said} This stays on this machine."


def awaits_consent(run: Run) -> bool:
    """Return whether `run` waits for a decision about files with personal data."""
    if run.consent or run.job.state not in IDLE:
        return False
    return dict(run.steps.filter(key__in=[FOUND, DECIDED]).values_list("key", "response__is_remote")) == {FOUND: True}


def decide(run: Run, user: User, decision: str) -> None:
    """Store the decision, SEND the files with personal data or LEAVE_OUT these files, and resume `run`.

    Raises Refused, with nothing changed, for any other decision and for a run that does not wait for one.
    """
    if decision not in (SEND, LEAVE_OUT):
        raise Refused(f"The decision must be {SEND} or {LEAVE_OUT}.", field="decision")
    with transaction.atomic():
        locked = Run.objects.select_for_update(of=("self",)).select_related("job").get(pk=run.pk)
        if locked.consent:
            raise Refused("This has already been decided.", code="not_possible", status=409)
        found = found_in(locked)
        if found is None or not awaits_consent(locked):
            raise Refused(
                f"This run is not waiting for this decision: it is {locked.job.get_state_display().lower()}.",
                code="not_possible",
                status=409,
            )
        _keep(locked, user, decision, files=found.files)
        if not locked.job.resume():
            raise Refused("The run is no longer waiting.", code="not_possible", status=409)


def consent_in_advance(run: Run, user: User) -> None:
    """Allow the files of `run` to be sent whatever personal data they hold, for a run that nobody will watch."""
    _keep(run, user, SEND, files={}, beforehand=True)


def _keep(run: Run, user: User, decision: str, **more: Any) -> None:
    run.consent = {"by": str(user), "at": timezone.now().isoformat(), "decision": decision, **more}
    run.save(update_fields=["consent"])
