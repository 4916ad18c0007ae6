"""manage.py draft_section PROJECT_ID SECTION: draft a section and print the proposal with its citations (SPEC T3)."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from citations.models import Citation
from citations.resolution.check_job import running_check
from core.errors import Refused
from jobs.models import JobEvent, State
from jobs.work import perform, run_in_foreground
from projects.command import ThesisCommand
from projects.models import Project, User
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers
from thesis.draft_api import draft_out
from thesis.drafting.accept import accept_blocks
from thesis.drafting.blocks import BAD, verdicts
from thesis.drafting.start import MOST_KEYS, DraftRequest, drafts_offline, fitting_findings, start_draft
from thesis.drafting.streaming import TEXT
from thesis.models import Draft

_PATIENCE = 60.0  # seconds to wait for a worker that is already checking the references


class Command(ThesisCommand):
    """The command draft_section."""

    help = "Drafts a section of a thesis and prints the proposal. Without --accept the text is not changed."
    fails = (429,)  # the queue or a drafting limit is full

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "section", metavar="SECTION", help="slug or printed number of the section, such as introduction or 2"
        )
        parser.add_argument("--instructions", default="", metavar="TEXT", help="what to write about, and how")
        parser.add_argument("--accept", action="store_true", help="add the proposal to the end of the section")
        parser.add_argument("--format", choices=["json", "text"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        project, user = self.to_change(options)
        draft = _create_draft(project, named_section(project, options["section"]), user, options["instructions"])
        assert draft.job is not None
        self.in_text = False
        run_in_foreground(draft.job, self.tell)
        draft = Draft.objects.select_related("job", "project", "section", "created_by").get(pk=draft.pk)
        assert draft.job is not None
        if draft.latex:
            self.look_up(draft)
        for note in draft.notes:
            self.stderr.write(note)
        if draft.job.state != State.DONE:
            raise CommandError(draft.job.reason or draft.job.get_state_display(), returncode=1)
        if options["accept"]:
            self.accept(draft, user)
        out = draft_out(draft)
        self.stdout.write(
            json.dumps(_json(out), ensure_ascii=False, indent=2) if options["format"] == "json" else _text(out)
        )

    def tell(self, event: JobEvent) -> None:
        """Write an event to standard error: pieces of the draft as they are, other events on lines of their own."""
        is_text = event.kind == TEXT
        if self.in_text and not is_text:
            self.stderr.write("")
        self.stderr.write(event.text, ending="" if is_text else "\n")
        self.in_text = is_text

    def look_up(self, draft: Draft) -> None:
        """Look up the references of the draft that were not looked up yet, or wait for a worker that is doing so."""
        new = Citation.objects.filter(project=draft.project, cite_key__in=draft.keys).due()
        if not new.exists():
            return
        self.stderr.write("Looking up the new references.")
        until = time.monotonic() + _PATIENCE
        while (job := running_check(draft.project)) and time.monotonic() < until:
            perform(str(job.pk))  # does nothing if a worker is doing the job
            if not new.exists():
                return
            time.sleep(0.2)

    def accept(self, draft: Draft, user: User) -> None:
        """Accept the whole proposal into the section."""
        try:
            accept_blocks(draft, user)
        except Refused as refused:
            raise CommandError(refused.message, returncode=1) from None
        self.stderr.write(f"Added to “{draft.section.title}”.")
        if left := [verdict.key for verdict in verdicts(draft) if verdict.bad]:
            self.stderr.write(f"Left out, because they could not be verified: {', '.join(left)}.")


def named_section(project: Project, named: str) -> Section:
    """Return the section of `project` whose slug or printed number is `named`. Raises Refused if there is none."""
    rows: list[Section] = list(Section.objects.filter(project=project).order_by("number"))
    numbers = compute_printed_numbers(project).sections
    for section in rows:
        if named in (section.slug, numbers[str(section.pk)] or None):
            return section
    there = ", ".join(f"{numbers[str(section.pk)]} {section.slug}".strip() for section in rows)
    raise Refused(f"This thesis has no section {named[:80]}. Available: {there or 'none'}.")


def _create_draft(project: Project, section: Section, user: User, instructions: str) -> Draft:
    """Create the draft without running its job. It uses findings that fit and, for a model, all usable references."""
    keys: list[str] = []
    if not drafts_offline(project):
        rows = Citation.objects.filter(project=project).exclude(status__in=BAD).order_by("serial", "cite_key")
        keys = list(rows.values_list("cite_key", flat=True)[:MOST_KEYS])
    asked = DraftRequest(instructions=instructions, findings=fitting_findings(section, instructions), cite_keys=keys)
    return start_draft(section, user, asked, enqueue=False)


def _json(out: dict[str, Any]) -> dict[str, Any]:
    citations = [
        {"key": one.key, "status": one.status, "tier": one.tier or None, "is_demo": one.is_demo}
        for one in out["citations"]
    ]
    return {name: out[name] for name in ("latex", "bibtex", "usage", "engine", "notes")} | {"citations": citations}


def _text(out: dict[str, Any]) -> str:
    """Return the draft as LaTeX that can be used as a file. The verdicts are comments."""
    lines = [
        f"% {one.key}: {one.status.replace('_', ' ')}{', tier ' + one.tier if one.tier else ''}"
        f"{', by the demo catalogue only' if one.is_demo else ''}"
        for one in out["citations"]
    ]
    return "\n".join([f"% {out['engine']}", *lines, "", out["latex"]])
