"""manage.py ai_use PROJECT_ID: what was taken from drafts, by section, and the statement on the use of AI (SPEC T9)."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from projects.command import ThesisCommand
from thesis.ai_use_api import AiUseOut, ai_use_out
from thesis.authorship.records import Entry
from thesis.authorship.statement import Authorship, authorship_of, share

_STATES = {
    "none": "Nothing is to be stated.",
    "unsaved": "Nobody has confirmed the statement. The wording comes from the records:",
    "older": "The statement is older than the records. It stays as it was saved:",
    "saved": "The statement as it was saved:",
}


class Command(ThesisCommand):
    help = (
        "Lists by section what was taken from drafts of a thesis and how much of it stands, with the statement on it."
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
    lines = [*(lines or ["Nothing was taken from drafts."]), "", _STATES[authorship.state]]
    lines += [authorship.words] if authorship.words else []
    lines += [f"{'+' if one.what == 'new' else '-'} {one.line}" for one in authorship.changes]
    return "\n".join([*lines, *(["", drafting_off] if drafting_off else [])])


def _entry(entry: Entry) -> str:
    by = ", ".join(entry.models) or ("a model" if entry.by == "model" else "offline engine, words of cited works")
    who = f", taken by {entry.who}" if entry.took_it else f", asked for by {entry.who}" if entry.who else ""
    kind = entry.kind if entry.is_recorded else f"{entry.kind}, not recorded as taken"
    stands = f"{entry.stands:,} of {entry.words:,} words stand ({share(entry.stands, entry.words)})"
    elsewhere = "".join(f"; {place.words:,} now in {place.title}" for place in entry.elsewhere)
    return f"  {entry.at:%Y-%m-%d} {kind} by {by}{who}: {stands}{elsewhere}"
