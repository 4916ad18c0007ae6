r"""The choice of the BibTeX style that prints the references (SPEC T5).

vancouver.bst is on CTAN and Overleaf, and in Debian's texlive-publishers. When this machine has it, it is copied into
the project; else Scholium's own style is, which was made by makebst. The choice is not left to \IfFileExists, because
that looks in the folder only.
"""

import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from citations.styles.formatting import style_info
from untrusted.process_environment import child_environment

HERE = Path(__file__).parent
NUMBERED, AUTHOR_YEAR, VANCOUVER = "scholium-numbered", "scholium-author-year", "vancouver"
_TEXTUAL = (
    "\\citet",
    "\\Citet",
    "\\citeauthor",
    "\\Citeauthor",
    "\\citeyear",
    "\\citealt",
    "\\textcite",
    "\\citefullauthor",
)
_MOST = 500_000  # bytes of a style


class Style(NamedTuple):
    r"""A BibTeX style: its name for \bibliographystyle, its file, and the reason for the choice, for the README."""

    name: str
    data: bytes
    why: str
    cites_by_year: bool


def style_for(csl_style: str, text: str) -> Style:
    """Return the BibTeX style closest to the CSL style `csl_style`, for a thesis with the text `text`."""
    chosen = style_info(csl_style)
    if chosen.cites.startswith("author"):
        why = (
            f"The style of this thesis, {chosen.name}, cites by author and year, and so does this one. "
            "Its punctuation may differ."
        )
        return Style(AUTHOR_YEAR, _ours(AUTHOR_YEAR), why, cites_by_year=True)
    is_textual = any(command in text for command in _TEXTUAL)
    if not is_textual and (data := _vancouver()):
        why = f"The style of this thesis is {chosen.name}. vancouver.bst is included in this project."
        return Style(VANCOUVER, data, why, cites_by_year=False)
    why = (
        f"The style of this thesis is {chosen.name}. This one numbers references in the order of citation, "
        "as Vancouver does."
    )
    if is_textual:
        why += " vancouver.bst cannot name authors in the text, as this thesis does."
    return Style(NUMBERED, _ours(NUMBERED), why, cites_by_year=False)


@cache
def _ours(name: str) -> bytes:
    return (HERE / f"{name}.bst").read_bytes()


@cache
def _vancouver() -> bytes:
    """Return this machine's vancouver.bst; b"" when it has none, or no TeX."""
    try:
        done = subprocess.run(
            ["kpsewhich", "vancouver.bst"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            cwd="/",
            env=child_environment(),
        )
        path = Path(done.stdout.strip())
        if done.returncode or not path.is_file() or path.stat().st_size > _MOST:
            return b""
        return path.read_bytes()
    except (OSError, subprocess.SubprocessError, ValueError):
        return b""
