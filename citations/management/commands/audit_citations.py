"""manage.py audit_citations PROJECT_ID [--format json|text]: audit the citations of a thesis."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from citations.audit.audit import Audit, audit_project, headline, summary
from citations.audit.audit_json import audit_json
from citations.audit.key_uses import Use
from projects.command import ThesisCommand


class Command(ThesisCommand):
    help = "Compare the keys that a thesis cites with its references, both ways. The exit code is 0 whatever is found."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=["json", "text"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        found = audit_project(self.to_read(options))
        if options["format"] == "json":
            self.stdout.write(json.dumps(audit_json(found), ensure_ascii=False, indent=2))
        else:
            self.stdout.write("\n".join(_lines(found)))


def _lines(found: Audit) -> list[str]:
    return [
        f"{headline(found) or f'Integrity {found.integrity_score:g} of 100'}. {summary(found)} "
        f"{found.total_citations:,} entries.",
        *(
            f"Tier D in use ({one.entry.status.replace('_', ' ')}): {one.entry.key}{_sections_text(one.used_in)}"
            for one in found.blocking
        ),
        *(
            f"No entry: {one.key}{_sections_text(one.used_in)}"
            f"{f'; {one.alike} exists, but capitals must match' if one.alike else ''}"
            for one in found.missing
        ),
        *(
            f"Cannot be read: \\{one.name}{_sections_text([one.used_in])}, line {one.line}: {one.why}"
            for one in found.unfollowed
        ),
        *(
            f"Not proven yet ({one.entry.standing.replace('_', ' ')}): {one.entry.key}{_sections_text(one.used_in)}"
            for one in found.unproven
        ),
        *(f"Own file: {one.entry.key}{_sections_text(one.used_in)}" for one in found.files),
        *(
            f"Retracted, in use: {one.entry.key}{_sections_text(one.used_in)}, "
            f"{f'reason: {one.entry.reason.text}' if one.entry.reason else 'no reason given'}"
            for one in found.retracted
        ),
        *(f"Never cited: {entry.key}" for entry in found.orphaned),
    ]


def _sections_text(used: Iterable[Use]) -> str:
    return " in " + ", ".join(use.name for use in used)
