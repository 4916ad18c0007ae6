"""Rendering a page of a PDF as PNG in a process with limits (SPEC R18).

Usage: `python -I pdf_to_png.py NUMBER SCALE LONGEST`, with the PDF on standard input. A PDF may contain anything, also
one made by LaTeX, since figures come from anywhere: the rendering process has no access to anything else of ours.
"""

import resource
import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path

_BYTES = 1 << 30  # of address space
_SECONDS = 10
_LARGEST = 20 << 20  # bytes of the PNG


def draw_page(pdf: bytes, number: int = 1, *, scale: float = 4.0, longest: int = 1_600) -> bytes | None:
    """Return page `number` (from 1) of `pdf` as PNG, or None if there is no such page or it cannot be rendered.

    `scale` is in pixels per point; the longer side has at most `longest` pixels.
    """
    from untrusted.process_environment import child_environment  # the rendering process cannot import it

    try:
        drawn = subprocess.run(
            [sys.executable, "-I", str(Path(__file__).resolve()), str(number), str(scale), str(longest)],
            input=pdf,
            capture_output=True,
            timeout=_SECONDS + 5,
            env=child_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    png = drawn.stdout
    return png if drawn.returncode == 0 and png.startswith(b"\x89PNG") and len(png) <= _LARGEST else None


def main() -> None:
    """Render the page of the PDF on standard input."""
    import pypdfium2

    for limit, most in (
        (resource.RLIMIT_AS, _BYTES),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_FSIZE, _LARGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    number, scale, longest = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    page = pypdfium2.PdfDocument(sys.stdin.buffer.read())[number - 1]
    scale = min(scale, longest / max(*page.get_size(), 1))
    made = BytesIO()
    page.render(scale=scale).to_pil().save(made, "PNG", compress_level=1)
    sys.stdout.buffer.write(made.getvalue())


if __name__ == "__main__":
    main()
