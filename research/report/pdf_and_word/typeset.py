"""A separate process that sets a report as PDF: the report as JSON on stdin, the PDF on stdout.

In its own process it can be stopped, and it limits its own time and memory.
"""

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path

import typst

_SECONDS = 20  # of processor time
_BYTES = 4 << 30  # of address space: threads and the compiler reserve much of it, but use little


def main() -> None:
    """Read the report, set it and write the PDF."""
    for limit, most in ((resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_AS, _BYTES)):
        with suppress(ValueError, OSError):  # not every system supports these limits
            resource.setrlimit(limit, (most, most))
    report = sys.stdin.buffer.read().decode()
    template = Path(__file__).with_name("report.typ")
    # System fonts cover scripts that the compiler's own fonts lack.
    fonts = typst.Fonts(include_system_fonts=True)
    compiler = typst.Compiler(template, root=template.parent, font_paths=fonts, sys_inputs={"report": report})
    made = compiler.compile(format="pdf", timestamp=json.loads(report)["at"])
    sys.stdout.buffer.write(made if isinstance(made, bytes) else b"")


if __name__ == "__main__":
    main()
