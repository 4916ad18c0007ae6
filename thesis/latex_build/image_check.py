"""A check of the images of a thesis before LaTeX runs: an image that unpacks to gigabytes is a bomb (SPEC N5).

PDFs are checked in a separate process, `python -m thesis.latex_build.image_check`. It reads the length of each file by
path as JSON, then the bytes, and writes a line of JSON for each: [path, error or ""]. Nothing here imports Django.
"""

import json
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from untrusted.process_environment import child_environment

MOST_PIXELS = 100_000_000  # of an image; an A2 poster at 350 dpi has 47 million
LONGEST_SIDE = 14_400  # points of a page: 200 inches, the limit of PDF readers
_SECONDS = 20
_MEMORY = 1 << 30  # bytes of address space


def oversized(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the images among `files` (bytes by path) that are too large or damaged, with a sentence that says why."""
    found: dict[str, str] = {}
    pages: dict[str, bytes] = {}
    for path, data in files.items():
        if data.startswith((b"\x89PNG", b"\xff\xd8\xff")):
            if said := _pixels(data):
                found[path] = said
        elif data.startswith(b"%PDF-"):
            pages[path] = data
    return found | (_in_a_process(pages) if pages else {})


def _pixels(data: bytes) -> str:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as opened:
                width, height = opened.size
    except Image.DecompressionBombError:
        return f"It has more than {MOST_PIXELS:,} pixels. Make it smaller."
    except (OSError, ValueError, SyntaxError):
        return "It is damaged. Save it again as PNG or JPEG."
    if width * height > MOST_PIXELS:
        return f"It has {width:,} x {height:,} pixels; the limit is {MOST_PIXELS:,} in total. Make it smaller."
    return ""


def _in_a_process(pages: Mapping[str, bytes]) -> dict[str, str]:
    lengths = json.dumps({path: len(data) for path, data in pages.items()}).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "thesis.latex_build.image_check"],
            input=lengths + b"\n" + b"".join(pages.values()),
            capture_output=True,
            timeout=_SECONDS + 5,
            cwd=Path(__file__).resolve().parent.parent.parent,
            env=child_environment(),
            check=False,
        )
        found: dict[str, str] = dict(json.loads(line) for line in done.stdout.splitlines())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        found = {}
    # The process reports files in order: the first one it did not report is the one that crashed it or took too long.
    first = next((path for path in pages if path not in found), None)
    if first is not None:
        found[first] = "It cannot be read. Save it again as PDF or PNG."
    return {path: said for path, said in found.items() if said}


def main() -> None:
    """Check each PDF on standard input."""
    import pypdfium2

    for limit, soft, hard in (
        (resource.RLIMIT_AS, _MEMORY, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS, _SECONDS + 2),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(limit, (soft, hard))
    signal.alarm(_SECONDS)
    for path, length in json.loads(sys.stdin.buffer.readline()).items():
        data, said = sys.stdin.buffer.read(length), ""
        try:
            with pypdfium2.PdfDocument(data) as document:
                size = document[0].get_size()
            if max(size) > LONGEST_SIDE:
                said = f"Its page of {size[0] / 28.35:,.0f} x {size[1] / 28.35:,.0f} cm is too large. Crop it."
        except pypdfium2.PdfiumError:
            said = "It cannot be read. Save it again as PDF or PNG."
        print(json.dumps([path, said]), flush=True)  # noqa: T201 the parent process reads it


if __name__ == "__main__":
    main()
