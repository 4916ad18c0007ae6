"""Which package of Debian has a file of LaTeX, for those who run the server (docker/tex-packages wrote the list)."""

from functools import cache
from pathlib import Path

_LIST = Path(__file__).parent / "debian_packages.txt"


def debian_package(file_name: str) -> str:
    """This function will give the name of the Debian package with `file_name`, such as "soul.sty"; "" where none has it."""
    return _packages().get(file_name, "")


@cache
def _packages() -> dict[str, str]:
    lines = (line.partition(": ") for line in _LIST.read_text().splitlines() if not line.startswith("#"))
    return {name: package for package, _, names in lines for name in names.split()}
