"""The README of an assembled thesis: how it is compiled, what is where, what was left out and why."""

from collections.abc import Sequence

from thesis.assembly.bibtex_style import Style
from thesis.manuscript import Manuscript

NAME, OTHER_NAME = "README.txt", "README-Scholium.txt"
MOST = 200  # lines of a list


def readme(
    manuscript: Manuscript, main: str, style: Style | None, lists: Sequence[tuple[str, Sequence[str]]], *, works: int
) -> bytes:
    """Return the text of the README. `lists` are what is to be told: a heading, and a sentence or a name for each line."""
    folder, _, name = main.rpartition("/")
    lines = [
        manuscript.title,
        "=" * min(len(manuscript.title), 100),
        "",
        "This LaTeX project was put together by Scholium. With TeX Live, in this folder:",
        "",
        *([f"    cd {_quoted(folder)}"] if folder else []),
        f"    latexmk -pdf {_quoted(name)}",
        "",
        "On Overleaf: New Project, Upload Project, and choose the archive.",
        "",
    ]
    if manuscript.is_brought:
        lines += [
            "It has the layout and the preamble that this thesis was brought with. Its own .bib files are replaced by references.bib.",
            "",
        ]
    else:
        lines += [
            "main.tex          the preamble, and the order of all that follows",
            "front/            title page and forms",
            "chapters/         the text, a file for each section",
            "appendices/       what stands behind the references",
            "figures/          the pictures that the text shows",
            "references.bib    the works that it cites",
            "",
            "It needs the packages of latex-recommended and fonts-recommended; others are used where they are installed.",
            "",
        ]
    lines += [f"References: {works:,} in references.bib, without DOIs, whose underscores some styles cannot print."]
    if style is not None:
        lines += [
            f"They are printed by {style.name}.bst, through natbib. {style.why}",
            "For exactly the form of the style, use the Word document or the list on the page References.",
        ]
    for heading, told in lists:
        if told:
            lines += ["", heading, "-" * len(heading), *(f"- {one}" for one in told[:MOST])]
            lines += [f"- and {len(told) - MOST:,} more"] if len(told) > MOST else []
    return ("\n".join(lines) + "\n").encode()


def _quoted(name: str) -> str:
    return (
        name
        if name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        else "'" + name.replace("'", "'\\''") + "'"
    )
