"""What programs started from here know of the machine: R, TeX, pandoc, and Python that reads files.

They are given what is listed and nothing else, so that no key, password or token of this process reaches them, however it
is called.
"""

import os
from pathlib import Path

# Where programs, their libraries and their temporary files are, and how R and TeX of this machine are set up.
_PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH"),
    *("R_HOME", "R_LIBS", "R_LIBS_SITE", "R_LIBS_USER", "R_CHILDREN", "R_CHILD_MB", "R_HANG", "R_IDLE", "R_DEBUG"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    *("TEXMFCNF", "TEXMFROOT", "TEXMFDIST", "TEXMFLOCAL", "TEXMFHOME"),
)


def child_environment(home: Path | str = "", **more: str) -> dict[str, str]:
    """Return the environment of a program to start: what is passed on, `home` as its home where given, and `more`."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "LANG": "C.UTF-8", "PYTHONUTF8": "1", **({"HOME": str(home)} if home else {}), **more}
