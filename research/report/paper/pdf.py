"""A report as PDF, set by typst in a process of its own (docs/decisions/paper.md)."""

import json
import logging
import subprocess
import sys
from pathlib import Path

from core.errors import Refused
from research.report.paper.sheet import Sheet
from untrusted.child_environment import child_environment

log = logging.getLogger(__name__)

_TYPESET = Path(__file__).with_name("typeset.py")
_TIMEOUT_SECONDS = 25  # a report of 140,000 characters takes half a second


def pdf_of(sheet: Sheet) -> bytes:
    """The PDF, tagged for screen readers; the same report gives the same pages.

    Raises Refused when it cannot be set.
    """
    document = sheet.document
    report = {
        "name": sheet.name,
        "kind": sheet.kind,
        "engine": sheet.engine,
        "at": int(sheet.at.timestamp()),
        "title": document.title or [{"t": "Str", "c": sheet.name}],
        "note": document.note,
        "blocks": document.blocks,
    }
    command = [sys.executable, "-I", str(_TYPESET)]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(report).encode(),
            capture_output=True,
            check=True,
            timeout=_TIMEOUT_SECONDS,
            env=child_environment(),
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        log.exception("A report could not be set: %s", (error.stderr or b"")[-2000:].decode("utf-8", "replace"))
        raise Refused(
            "The PDF could not be made. The Word file and the Markdown hold the same report.",
            field="format",
            code="not_set",
            status=503,
        ) from None
    return done.stdout
