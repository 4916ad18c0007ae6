"""A page of a PDF as a PNG, drawn in a process with limits: `python -I pdf_to_png.py NUMBER SCALE LONGEST`, the PDF on stdin (SPEC R18).

A PDF may hold anything, one that LaTeX made too, since figures come from anywhere: the process that draws it is given nothing else
and finds nothing of ours.
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
    """This function will give page `number` (from 1) of `pdf` as a PNG with `scale` pixels a point, and of at most `longest`
    pixels a side; None when there is none or it cannot be drawn."""
    from untrusted.process_environment import child_environment  # the process that draws does not find it

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
    """Draw the page of what stands on standard input."""
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
