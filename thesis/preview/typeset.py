"""A thesis set without TeX: pages that show how it reads, labelled a preview on each of them (SPEC T6).

Chapters go through pandoc (read.py), numbers and citations are worked out here, and typst sets what comes out, as data, in a
process with limits (typst_process.py). See docs/decisions/preview.md.
"""

import json
import logging
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from core.errors import Refused
from thesis.preview.page_data import Pages, pages_of
from thesis.preview.pictures import small
from untrusted.process_environment import child_environment

if TYPE_CHECKING:
    from thesis.manuscript import Manuscript

log = logging.getLogger(__name__)

_HERE = Path(__file__).parent
_TIMEOUT_SECONDS = 20  # a thesis of 120 pages takes one or two
_AT = 1_600_000_000  # the same thesis gives the same file


class Printed(NamedTuple):
    """`pdf` has so many `pages`. `notes` are sentences for people: what is shown otherwise than it will be printed.
    `pictures` are the pages that were asked for as PNG, by their number from 1."""

    pdf: bytes
    pages: int
    notes: list[str]
    pictures: dict[int, bytes]


class _Said(TypedDict):
    """What the process says of its work (typst_process.py)."""

    pages: int
    drawn: list[int]
    formulas: list[str]


def set_preview(
    manuscript: "Manuscript", *, only: str | None = None, draw: Sequence[int] = (), scale: float = 2.0
) -> Printed:
    """This function will set `manuscript`, or its section with the id `only` alone, under the numbers it has in the thesis.

    Its pages `draw` (from 1; those there are) are drawn at `scale` pixels a point. Raises Refused when it cannot be set within
    its limits, or has no such section.
    """
    pages = pages_of(manuscript, only)
    with tempfile.TemporaryDirectory(prefix="scholium-preview-") as made:
        folder = Path(made)
        _lay_out(pages, folder)
        said = _run(folder, draw, scale)
        if number := len(said["formulas"]):
            pages.notes.append(
                f"{number} formula{'s are' if number > 1 else ' is'} shown as source, as the preview cannot set {'them' if number > 1 else 'it'}."
            )
        pictures = {number: (folder / f"page-{number}.png").read_bytes() for number in said["drawn"]}
        return Printed((folder / "out.pdf").read_bytes(), said["pages"], pages.notes, pictures)


def _lay_out(pages: Pages, folder: Path) -> None:
    """Write what the process is given: the template, pictures under names of ours, the data."""
    (folder / "thesis.typ").write_bytes((_HERE / "thesis.typ").read_bytes())
    by_path = small(list(pages.files.values()))
    names: dict[str, str] = {}
    for place, (path, one) in enumerate(by_path.items()):
        if one is not None:
            names[path] = f"picture-{place}.jpg"
            (folder / names[path]).write_bytes(one.data)
    (folder / "data.json").write_text(pages.as_json(by_path, names), encoding="utf-8")


def _run(folder: Path, draw: Sequence[int], scale: float) -> _Said:
    given = {"folder": str(folder), "at": _AT, "draw": list(draw), "scale": scale}
    nowhere = "http://127.0.0.1:9"  # nothing is fetched; a formula that got through would find no one there
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_HERE / "typst_process.py")],
            input=json.dumps(given).encode(),
            capture_output=True,
            check=True,
            timeout=_TIMEOUT_SECONDS,
            cwd=folder,
            env=child_environment(
                folder,
                **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere),
            ),
        )
        said: _Said = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise _refused(f"takes longer than {_TIMEOUT_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        log.warning("A preview could not be set: %s", (error.stderr or b"")[-1500:].decode("utf-8", "replace"))
        raise _refused("is more than it can hold" if error.returncode < 0 else "stumbled over this text") from None
    return said


def _refused(why: str) -> Refused:
    return Refused(
        f"The preview {why}. The text is safe; print a chapter alone, or build the thesis with LaTeX.",
        code="no_preview",
        status=503,
    )
