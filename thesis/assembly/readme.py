"""The README of an assembled thesis: how to compile it, its files, what was left out and why."""

from collections.abc import Sequence

from thesis.assembly.bibtex_style import Style
from thesis.manuscript import Manuscript

NAME, OTHER_NAME = "README.txt", "README-Scholium.txt"
MOST = 200  # items of a list


def readme(
    manuscript: Manuscript, main: str, style: Style | None, lists: Sequence[tuple[str, Sequence[str]]], *, works: int
) -> bytes:
    """Return the text of the README. `lists` are headings with their items, `works` is the number of references."""
    folder, _, name = main.rpartition("/")
    lines = [
        manuscript.title,
        "=" * min(len(manuscript.title), 100),
        "",
        "This LaTeX project was made by Scholium. To compile it with TeX Live, run in this folder:",
        "",
        *([f"    cd {_quoted(folder)}"] if folder else []),
        f"    latexmk -pdf {_quoted(name)}",
        "",
        "On Overleaf: New Project, Upload Project, and choose the ZIP file.",
        "",
    ]
    if manuscript.is_brought:
        lines += [
            "It has the layout and the preamble of the imported thesis. references.bib replaces its own .bib files.",
            "",
        ]
    else:
        lines += [
            "main.tex          the preamble, and the order of the files",
            "front/            title page and forms",
            "chapters/         the text, one file per section",
            "appendices/       the appendices, after the references",
            "figures/          the pictures in the text",
            "references.bib    the cited works",
            "",
            "It needs the packages of latex-recommended and fonts-recommended; others are used if they are installed.",
            "",
        ]
    lines += [f"References: {works:,} in references.bib, without DOIs, whose underscores some styles cannot print."]
    if style is not None:
        lines += [
            f"They are printed by {style.name}.bst, through natbib. {style.why}",
            "For the exact format of the style, use the Word document or the list on the page References.",
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
