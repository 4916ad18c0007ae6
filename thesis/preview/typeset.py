"""A preview of a thesis without TeX; each page is labelled as a preview (SPEC T6).

pandoc reads the chapters (pandoc_ast/read.py), this package adds numbers and citations, and Typst renders the result in
a process with limits (typst_process.py). See docs/decisions/preview.md.
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
from thesis.preview.pictures import scaled_pictures
from untrusted.process_environment import child_environment

if TYPE_CHECKING:
    from thesis.manuscript import Manuscript

log = logging.getLogger(__name__)

_HERE = Path(__file__).parent
_TIMEOUT_SECONDS = 20  # a thesis of 120 pages takes one or two
_AT = 1_600_000_000  # a fixed timestamp, so that the same thesis gives the same file


class RenderedPreview(NamedTuple):
    """A preview: `pdf` with its number of `pages`.

    `notes` are sentences for the user on what differs from the printed thesis; `pictures` are the requested pages as
    PNG, by their number from 1.
    """

    pdf: bytes
    pages: int
    notes: list[str]
    pictures: dict[int, bytes]


class _TypstOutput(TypedDict):
    """The output of typst_process.py."""

    pages: int
    drawn: list[int]
    formulas: list[str]


def render_preview(
    manuscript: "Manuscript", *, only: str | None = None, draw: Sequence[int] = (), scale: float = 2.0
) -> RenderedPreview:
    """Render `manuscript` as PDF, or only its section with the id `only`, with its numbers in the whole thesis.

    The pages `draw` (from 1, if they exist) are rendered as PNG at `scale` pixels per point. Raises Refused when the
    preview exceeds its limits, or for an unknown section.
    """
    pages = pages_of(manuscript, only)
    with tempfile.TemporaryDirectory(prefix="scholium-preview-") as made:
        folder = Path(made)
        _lay_out(pages, folder)
        said = _run(folder, draw, scale)
        if number := len(said["formulas"]):
            pages.notes.append(
                f"{number} formula{'s are' if number > 1 else ' is'} shown as source, because the preview cannot "
                f"render {'them' if number > 1 else 'it'}."
            )
        pictures = {number: (folder / f"page-{number}.png").read_bytes() for number in said["drawn"]}
        return RenderedPreview((folder / "out.pdf").read_bytes(), said["pages"], pages.notes, pictures)


def _lay_out(pages: Pages, folder: Path) -> None:
    """Write the input of the process: the template, the pictures under generated names, the data."""
    (folder / "thesis.typ").write_bytes((_HERE / "thesis.typ").read_bytes())
    by_path = scaled_pictures(list(pages.files.values()))
    names: dict[str, str] = {}
    for place, (path, one) in enumerate(by_path.items()):
        if one is not None:
            names[path] = f"picture-{place}.jpg"
            (folder / names[path]).write_bytes(one.data)
    (folder / "data.json").write_text(pages.as_json(by_path, names), encoding="utf-8")


def _run(folder: Path, draw: Sequence[int], scale: float) -> _TypstOutput:
    given = {"folder": str(folder), "at": _AT, "draw": list(draw), "scale": scale}
    nowhere = "http://127.0.0.1:9"  # a proxy that does not exist, so that nothing can be downloaded
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
        said: _TypstOutput = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise _refused(f"took longer than {_TIMEOUT_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        log.warning("A preview could not be rendered: %s", (error.stderr or b"")[-1500:].decode("utf-8", "replace"))
        raise _refused("needs too much memory or time" if error.returncode < 0 else "failed on this text") from None
    return said


def _refused(why: str) -> Refused:
    return Refused(
        f"The preview {why}. Your text is safe. Preview a single chapter, or build the thesis with LaTeX.",
        code="no_preview",
        status=503,
    )
