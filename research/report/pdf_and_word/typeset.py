"""A process of its own that sets a report as PDF: the report as JSON on stdin, the PDF on stdout.

It runs apart so that it can be stopped, and holds itself to so much time and memory whatever it is given.
"""

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path

import typst

_SECONDS = 20  # of processor time
_BYTES = 4 << 30  # of address space: threads and the compiler itself take much of it, and use little


def main() -> None:
    for limit, most in ((resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_AS, _BYTES)):
        with suppress(ValueError, OSError):  # some systems know no such limit
            resource.setrlimit(limit, (most, most))
    report = sys.stdin.buffer.read().decode()
    template = Path(__file__).with_name("report.typ")
    # Only the fonts of this machine know the scripts that the compiler's own lack.
    fonts = typst.Fonts(include_system_fonts=True)
    compiler = typst.Compiler(template, root=template.parent, font_paths=fonts, sys_inputs={"report": report})
    made = compiler.compile(format="pdf", timestamp=json.loads(report)["at"])
    sys.stdout.buffer.write(made if isinstance(made, bytes) else b"")


if __name__ == "__main__":
    main()
