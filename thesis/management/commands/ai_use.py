"""manage.py ai_use PROJECT_ID: text accepted from drafts, by section, and the statement on the use of AI (SPEC T9)."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from projects.command import ThesisCommand
from thesis.ai_use_api import AiUseOut, ai_use_out
from thesis.authorship.records import DraftUse
from thesis.authorship.statement import Authorship, authorship_of, share

_STATES = {
    "none": "There is nothing to state.",
    "unsaved": "Nobody has saved a statement yet. It is generated from the records:",
    "older": "The saved statement is out of date: the records have changed since. It stays as it was saved:",
    "saved": "The saved statement:",
}


class Command(ThesisCommand):
    help = (
        "Lists the text accepted from AI drafts by section, how much of it is still unchanged in the thesis, "
        "and the statement on the use of AI."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=["json", "text"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.to_read(options)
        authorship = authorship_of(project)
        if options["format"] == "text":
            self.stdout.write(_text(authorship, project.why_not_drafting))
        else:
            out = AiUseOut.model_validate(ai_use_out(project, authorship)).model_dump()
            self.stdout.write(json.dumps(out, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))


def _text(authorship: Authorship, drafting_off: str) -> str:
    lines: list[str] = []
    for use in authorship.sections:
        lines += [f"{use.title}{' (removed)' if use.is_removed else ''}", *map(_entry, use.entries)]
    lines = [*(lines or ["Nothing was accepted from drafts."]), "", _STATES[authorship.state]]
    lines += [authorship.words] if authorship.words else []
    lines += [f"{'+' if one.what == 'new' else '-'} {one.line}" for one in authorship.changes]
    return "\n".join([*lines, *(["", drafting_off] if drafting_off else [])])


def _entry(entry: DraftUse) -> str:
    by = ", ".join(entry.models) or ("a model" if entry.by == "model" else "offline engine, words of cited works")
    who = f", accepted by {entry.who}" if entry.took_it else f", requested by {entry.who}" if entry.who else ""
    kind = entry.kind if entry.is_recorded else f"{entry.kind}, not recorded as accepted"
    stands = f"{entry.stands:,} of {entry.words:,} words unchanged ({share(entry.stands, entry.words)})"
    elsewhere = "".join(f"; {place.words:,} now in {place.title}" for place in entry.elsewhere)
    return f"  {entry.at:%Y-%m-%d} {kind} by {by}{who}: {stands}{elsewhere}"
