"""The first page of a PDF figure as a PNG, drawn in a process with limits: `python -m untrusted.pdf_page` (SPEC R18).

Reads the PDF from standard input and writes the PNG to standard output. Nothing here imports Django.
"""

import resource
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from untrusted.child_environment import child_environment

MEMORY = 1024 * 1024 * 1024  # bytes of address space
SECONDS = 10
LONGEST_SIDE = 1_600  # pixels
LARGEST = 20 * 1024 * 1024  # bytes of the PNG


def first_page(pdf: bytes) -> bytes | None:
    """The first page of `pdf` as a PNG of at most LONGEST_SIDE pixels a side; None when it cannot be drawn."""
    try:
        drawn = subprocess.run(
            [sys.executable, "-m", "untrusted.pdf_page"],
            input=pdf,
            capture_output=True,
            timeout=SECONDS + 5,
            cwd=Path(__file__).resolve().parent.parent,
            env=child_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    png = drawn.stdout
    return png if drawn.returncode == 0 and png.startswith(b"\x89PNG") and len(png) <= LARGEST else None


def main() -> None:
    """Draw what stands on standard input."""
    import pypdfium2

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(SECONDS)
    document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
    page = document[0]
    width, height = page.get_size()
    scale = min(LONGEST_SIDE / max(width, height, 1), 4)
    image = page.render(scale=scale).to_pil()
    made = BytesIO()
    image.save(made, "PNG")
    sys.stdout.buffer.write(made.getvalue())


if __name__ == "__main__":
    main()
