"""Personal data in the files: a person decides before any of it is sent to a model elsewhere (SPEC X2).

The files are read and looked through on this machine. When something was found and the engine is elsewhere, the run
waits, once, before its first question to the model. What was found, which engine it would go to and what the person
decided is taken into the journal: from then on the run, and each replay of it, knows it from the journal alone.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from jobs.models import IDLE
from jobs.work import NeedsYou, Stopped
from llm.claude import ClaudeEngine
from llm.claude.client import host_of
from llm.engine import Engine
from projects.models import User
from research.journal.journal import Response
from research.models import Run
from research.run_context.run_context import Inquiry
from research.words import counted
from text.personal_data import told
from untrusted.file_names import shortened

Personal = dict[str, dict[str, int]]  # by the name of a file: what looks like data of persons, {kind: count}

FOUND, DECIDED = "consent/found", "consent/decided"  # steps of the journal
SEND, LEAVE_OUT = "send", "leave_out"  # what a person can decide
STAYS = "stays"  # nobody had to: when the run went on, its engine was on this machine
REASON = "It holds what looks like personal data; a person left it out of this run."
FIRST = "Decide first what is to become of the files with personal data; the run goes on by itself then."
_NAMED = 3  # files that a sentence names


async def consent(inquiry: Inquiry, personal: Mapping[str, Mapping[str, int]]) -> None:
    """Go on with the files as a person wants it. `personal` is what was found in each, {name: {kind: count}}.

    To be called when all files are read, before anything is asked of the engine. A file that is left out is taken out
    of `inquiry.files` and stands in `inquiry.left_out` with the reason. Raises NeedsYou while nobody has decided, and
    Stopped when the files would go to another address than the one that was decided on.
    """
    flagged = {name: dict(counts) for name, counts in personal.items() if counts}
    if not flagged:
        return

    async def look() -> Response:
        engine = inquiry.engine
        return {
            "is_remote": engine.is_remote,
            "engine": engine.label,
            "host": host(engine),
            "files": flagged,
            "total": len(inquiry.files),
        }

    found = await inquiry.journal.step(FOUND, "note", flagged, look, lambda found: _found(inquiry, found))
    decided = await _decision(inquiry, found) if found["is_remote"] else {"decision": STAYS}
    if decided["decision"] == LEAVE_OUT:
        inquiry.left_out = dict.fromkeys(flagged, REASON)
        inquiry.files = [bound for bound in inquiry.files if bound.name not in flagged]
        return
    # A setting may have changed since: nobody was asked about this address.
    agreed = found["host"] if decided["decision"] == SEND else ""
    if inquiry.engine.is_remote and host(inquiry.engine) != agreed:
        raise Stopped(
            f"{summary(found)} They were to {f'go to {agreed}' if agreed else 'stay on this machine'}; now the model is "
            f"at {host(inquiry.engine)}. What was found is kept; ask the question again, and you are asked about that."
        )


async def _decision(inquiry: Inquiry, found: Response) -> Response:
    """Return what a person decided: {decision, by, at, files}. Raises NeedsYou while nobody has."""
    files = found["files"]

    async def call() -> Response:
        given = await Run.objects.values_list("consent", flat=True).aget(pk=inquiry.run.pk)
        if given:
            return {**given, "files": files}
        if not inquiry.engine.is_remote:
            return {"decision": STAYS}
        they = "it" if len(files) == 1 else "they"
        raise NeedsYou(
            f"{summary(found)} Decide whether {they} may be sent to {found['engine']}. Nothing was sent yet."
        )

    return await inquiry.journal.step(DECIDED, "note", files, call, lambda decided: _decided(inquiry, found, decided))


def host(engine: Engine) -> str:
    """Host and port to which questions of `engine` go; "" for one on this machine."""
    return host_of(engine.url) if isinstance(engine, ClaudeEngine) and engine.is_remote else ""


def summary(found: Mapping[str, Any]) -> str:
    """Return what was found, in a sentence: "1 of your 3 files holds what looks like personal data: a.md (1 IBAN)."."""
    files = found["files"]
    named = [f"{shortened(name)} ({told(counts)})" for name, counts in list(files.items())[:_NAMED]]
    listed = ", ".join([*named, f"{len(files) - _NAMED:,} more"] if len(files) > _NAMED else named)
    holds = "holds" if len(files) == 1 else "hold"
    return f"{len(files):,} of your {counted(found['total'], 'file')} {holds} what looks like personal data: {listed}."


def _found(inquiry: Inquiry, found: Response) -> None:
    said = f"{summary(found)}{'' if found['is_remote'] else ' That stays on this machine.'}"
    inquiry.say("binding", "personal_data_found", said, found, summary="Found", lines=_lines(found["files"]))


def _decided(inquiry: Inquiry, found: Response, decided: Response) -> None:
    """What is written when a decision is taken up."""
    count = counted(len(found["files"]), "file")
    if decided["decision"] == STAYS:
        said = f"The model is on this machine now: {count} with what looks like personal data stay here."
        return inquiry.say("binding", "personal_data_stays", said, decided)
    inquiry.run.consent = decided
    Run.objects.filter(pk=inquiry.run.pk).update(consent=decided)
    files = f"{count} with what looks like personal data"
    if decided["decision"] == SEND:
        kind, said = "personal_data_consented", f"{decided['by']} let {files} be sent to {found['engine']}."
    else:
        kind, said = "personal_data_left_out", f"{decided['by']} left {files} out."
        count_files(inquiry, ready=-len(found["files"]), failed=len(found["files"]))
    details = {**decided, "engine": found["engine"], "host": found["host"]}
    inquiry.say("binding", kind, said, details, summary="Files", lines=_lines(found["files"]))


def count_files(inquiry: Inquiry, ready: int = 0, failed: int = 0, *, is_reading: bool | None = None) -> None:
    """Count so many more files that are ready, or of no use, and say how the reading goes (SPEC X10). It goes on until
    it is said that it does not: `is_reading`.
    """
    was = inquiry.run.context_processing
    ready, failed = was["files_ready"] + ready, was["files_error"] + failed
    goes_on = was["status"] == "parsing" if is_reading is None else is_reading
    status = "parsing" if goes_on else "ready" if not failed else "partial" if ready else "unusable"
    inquiry.run.context_processing = {**was, "status": status, "files_ready": ready, "files_error": failed}
    Run.objects.filter(pk=inquiry.run.pk).update(context_processing=inquiry.run.context_processing)


def _lines(files: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [f"{name}: {told(counts)}" for name, counts in files.items()]


# What a person does


class Found(NamedTuple):
    """What was found in the files of a run. `engine` and `host` are where it would be sent; `host` is "" for nowhere."""

    files: Personal
    total: int
    engine: str
    host: str

    @property
    def said(self) -> str:
        """The same in a sentence."""
        return summary(self._asdict())


def found_in(run: Run) -> Found | None:
    """Return what was found in the files of `run`; None when nothing was, or it was not looked for yet."""
    response = run.steps.filter(key=FOUND).values_list("response", flat=True).first()
    return Found(**{name: response[name] for name in Found._fields}) if response else None


def note_on(run: Run) -> str:
    """Return what became of files with personal data, in a sentence for the page of `run`; "" while nothing is to be said."""
    found = found_in(run) if run.files else None
    if found is None or (found.host and not run.consent):
        return ""
    them = "it" if len(found.files) == 1 else "them"
    if run.consent.get("decision") == LEAVE_OUT:
        return f"{found.said} {run.consent['by']} left {them} out of this run."
    if run.consent.get("files"):
        return f"{found.said} {run.consent['by']} let {them} be sent to {found.engine}."
    return f"{found.said} That stays on this machine."


def awaits_consent(run: Run) -> bool:
    """Return whether `run` rests until a person has decided about files with personal data."""
    if run.consent or run.job.state not in IDLE:
        return False
    return dict(run.steps.filter(key__in=[FOUND, DECIDED]).values_list("key", "response__is_remote")) == {FOUND: True}


def decide(run: Run, user: User, decision: str) -> None:
    """SEND the files with personal data all the same, or LEAVE_OUT these files, and let `run` go on.

    Raises Refused, with nothing changed, for another decision, and for a run that does not wait for one.
    """
    if decision not in (SEND, LEAVE_OUT):
        raise Refused(f"A decision is {SEND} or {LEAVE_OUT}.", field="decision")
    with transaction.atomic():
        locked = Run.objects.select_for_update(of=("self",)).select_related("job").get(pk=run.pk)
        if locked.consent:
            raise Refused("This was decided already.", code="not_possible", status=409)
        found = found_in(locked)
        if found is None or not awaits_consent(locked):
            raise Refused(
                f"No decision about personal data is waited for: the run is {locked.job.get_state_display().lower()}.",
                code="not_possible",
                status=409,
            )
        _keep(locked, user, decision, files=found.files)
        if not locked.job.resume():
            raise Refused("The run does not wait any more.", code="not_possible", status=409)


def consent_beforehand(run: Run, user: User) -> None:
    """Let the files of `run` be sent whatever is found in them. For whoever starts it and will not be there to ask."""
    _keep(run, user, SEND, files={}, beforehand=True)


def _keep(run: Run, user: User, decision: str, **more: Any) -> None:
    run.consent = {"by": str(user), "at": timezone.now().isoformat(), "decision": decision, **more}
    run.save(update_fields=["consent"])
