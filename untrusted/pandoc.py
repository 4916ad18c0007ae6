"""Where pandoc is."""

import shutil
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


@lru_cache(maxsize=1)
def pandoc_path() -> str:
    """The pandoc that came with pypandoc, else the one of this machine.

    pypandoc's own function runs every pandoc it finds to ask for its version, with our environment and all that is in it.
    """
    spec = find_spec("pypandoc")
    ours = Path(spec.origin).parent / "files" / "pandoc" if spec and spec.origin else None
    return str(ours) if ours and ours.is_file() else shutil.which("pandoc") or "pandoc"
