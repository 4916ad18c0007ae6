"""The environment of programs started by Scholium: R, TeX, pandoc, and Python that reads files.

Only listed variables are passed on, so that no key, password or token of this process reaches them, whatever its name.
"""

import os
from pathlib import Path

# Paths of programs, libraries and temporary files, and the setup of R and TeX on this machine.
_PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH"),
    *("R_HOME", "R_LIBS", "R_LIBS_SITE", "R_LIBS_USER", "R_CHILDREN", "R_CHILD_MB", "R_HANG", "R_IDLE", "R_DEBUG"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    *("TEXMFCNF", "TEXMFROOT", "TEXMFDIST", "TEXMFLOCAL", "TEXMFHOME"),
)


def child_environment(home: Path | str = "", **more: str) -> dict[str, str]:
    """Return the environment for a program: the listed variables, `home` as its home if given, and `more`."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "LANG": "C.UTF-8", "PYTHONUTF8": "1", **({"HOME": str(home)} if home else {}), **more}
