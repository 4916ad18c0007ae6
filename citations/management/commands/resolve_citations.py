"""manage.py resolve_citations FILE.bib [--format json|text]: look up every reference of a file in the registries."""

import asyncio
import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from citations.formats.bibtex import read_bibtex
from citations.formats.reading import Entry, Problem, Reading, clean_text, decode
from citations.formats.ris_reader import read_ris
from citations.identity.reference import reference_from_csl
from citations.identity.verdict_types import Verdict
from citations.resolution.resolve import resolve
from projects.command import prepare_database
from sources.http_client import Client

_EVERY = 10  # entries between two lines of progress


class Command(BaseCommand):
    help = (
        "Look up each entry of a BibTeX or RIS file in the registries and print a line with its verdict, in the order"
        " of the file. An entry that cannot be read gets a line with the status “unreadable”."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE.bib", type=Path)
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:
        reading = self._read(options["file"])
        prepare_database(self.stderr)
        asyncio.run(self._resolve(reading, as_text=options["format"] == "text"))

    def _read(self, path: Path) -> Reading:
        try:
            text = clean_text(decode(path.read_bytes()))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from None
        reading = (read_ris if path.suffix.lower() == ".ris" else read_bibtex)(text)
        for problem in reading.notes:
            self.stderr.write(f"Line {problem.line}{f', {problem.key}' if problem.key else ''}: {problem.message}")
        if not reading.entries and not reading.unreadable:
            raise CommandError(f"{path} has no entries. Give a BibTeX (@article{{...}}) or RIS file.", returncode=2)
        return reading

    async def _resolve(self, reading: Reading, *, as_text: bool) -> None:
        """Print the lines in order, each as soon as it and all lines before it are known."""
        rows: list[Problem | Entry] = sorted([*reading.unreadable, *reading.entries], key=lambda row: row.line)
        entries = {str(place): row for place, row in enumerate(rows) if isinstance(row, Entry)}
        claims = {place: entry.csl for place, entry in entries.items()}
        lines = {
            place: unread_json(row.key, f"Line {row.line}: {row.message}")
            for place, row in enumerate(rows)
            if isinstance(row, Problem)
        }
        printed = self._print(lines, 0, as_text)
        done = 0
        async with Client() as client:
            async for place, verdict in resolve(claims, client):
                lines[int(place)] = _line(entries[place], verdict)
                printed = self._print(lines, printed, as_text)
                done += 1
                if done % _EVERY == 0 or done == len(claims):
                    self.stderr.write(f"{done} of {len(claims)} entries")

    def _print(self, lines: dict[int, dict[str, Any]], printed: int, as_text: bool) -> int:
        """Print the lines that follow the first `printed` ones without a gap, and return the new number of them."""
        while line := lines.pop(printed, None):
            self.stdout.write(_text(line) if as_text else json.dumps(line, ensure_ascii=False))
            printed += 1
        self.stdout.flush()
        return printed


def _line(entry: Entry, verdict: Verdict) -> dict[str, Any]:
    claim = reference_from_csl(entry.csl)
    return verdict_json(entry.key, verdict, doi=claim.doi or "", pmid=claim.pmid or "")


def _text(line: dict[str, Any]) -> str:
    tier = f", tier {line['tier']}" if line["tier"] else ""
    notice = f" Notice: {line['retraction']['type'].replace('_', ' ')}." if line["retraction"] else ""
    return f"{line['key'] or '(no key)'}: {line['status'].replace('_', ' ')}{tier}. {line['reason']}{notice}"


def verdict_json(key: str, verdict: Verdict, *, doi: str = "", pmid: str = "") -> dict[str, Any]:
    """Return the JSON of one entry. `doi` and `pmid` are the claimed ones; a proven record's own replace them."""
    work = verdict.work
    # `repair` is the intended work where an identifier must be corrected, or a preprint's published version.
    meant, told, offers = verdict.repair, verdict.retraction, verdict.repair or verdict.repair_doi
    proven = work if verdict.status == "verified" else None
    return {
        "key": key,
        "status": verdict.status,
        "tier": verdict.tier,
        "doi": (proven and proven.doi) or doi or None,
        "pmid": (proven and proven.pmid) or ("" if "pmid" in verdict.unproven else pmid) or None,
        "matched": {**work.csl(), "source": work.provider} if work else None,
        "diff": [asdict(row) for row in verdict.diff],
        "retraction": told.model_dump(include={"type", "doi", "pmid", "source", "year", "note"}) if told else None,
        "reason": verdict.reason,
        "repair": {"doi": verdict.repair_doi or None, "title": meant.title if meant else None} if offers else None,
    }


def unread_json(key: str, reason: str) -> dict[str, Any]:
    """Return the JSON of an entry that could not be read: status "unreadable", and `reason` says where and why."""
    nothing = dict.fromkeys(("tier", "doi", "pmid", "matched", "diff", "retraction", "reason", "repair"))
    return {"key": key, "status": "unreadable", **nothing, "diff": [], "reason": reason}
