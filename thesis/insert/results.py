"""What of a result can go into a section, and how it would stand there (SPEC N2, T7).

Text that a person writes stops the build at a letter that pdflatex has no sign for (SPEC T5): a name in Devanagari, an
emoji. A result would stop it by a name in a table that nobody typed there, so a sign stands for them, and the proposal
says which they were.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, groupby
from typing import Any, cast

from django.utils.text import slugify

from analysis.models import Analysis, Figure
from analysis.presentation.latex import ALL, figure_latex, sentence_latex, table_latex, tex
from analysis.running.rerun import is_stale
from core.errors import Refused
from latex.characters import can_be_set
from projects.models import Project
from sections.models import Section, ThesisFile
from thesis.drafting.proposal import Coming, Picture
from thesis.models import Draft
from thesis.run_references import in_a_line

SIGN = "?"


def with_signs(latex: str) -> tuple[str, list[str]]:
    """`latex` with one SIGN for each run of letters that cannot be set, and those runs, each once."""
    if latex.isascii():
        return latex, []
    runs = [(settable, "".join(letters)) for settable, letters in groupby(latex, can_be_set)]
    made = "".join(run if settable else SIGN for settable, run in runs)
    return made, list(dict.fromkeys(run for settable, run in runs if not settable))


def said_of(runs: list[str]) -> str:
    """Return a sentence on what a sign stands for."""
    named = ", ".join(f"“{run[:40]}”" for run in runs[:5]) + (" and others" if len(runs) > 5 else "")
    return f"A {SIGN} stands for letters that cannot be printed: {named}. Name the column or level in Latin letters, or write it there yourself."


MOST = 40  # parts at once
ENGINE = "R, as it was computed"
FROM = "% From analysis "
_PACKAGES = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Part:
    """A part of a result that can be chosen: `key` is "sentence", "table:main", "figure:box"."""

    key: str
    label: str


def parts_of(analysis: Analysis) -> list[Part]:
    """Return what can be put in, in the order in which it would stand. One query for the figures."""
    result = analysis.result or {}
    drawn = (one for one in analysis.figures.all() if one.pdf or one.png)
    return [
        *([Part("sentence", "The sentence")] if sentence_latex(result) else []),
        *(Part(f"table:{one['id']}", f"Table: {one.get('title') or one['id']}") for one in result.get("tables") or []),
        *(Part(f"figure:{one.kind}", f"Figure: {one.caption or one.alt or one.kind}") for one in drawn),
    ]


def result_coming(section: Section, analysis: Analysis, parts: Iterable[str]) -> Coming:
    """Return how `parts` of `analysis` would stand in `section`: the sentence first, then tables and figures as they were chosen.

    Raises Refused for an analysis without a result, of another thesis, for no part, more than MOST, and one there is not.
    """
    if analysis.project_id != section.project_id:
        raise Refused("This analysis is of another thesis.", field="analysis", code="unknown")
    result = analysis.result
    if result is None:
        raise Refused("This analysis has no result yet.", field="analysis", code="no_result", status=409)
    wanted = list(dict.fromkeys(parts))
    _check_parts(wanted, [one.key for one in parts_of(analysis)])
    figures = {one.kind: one for one in analysis.figures.all()}
    labels = _labels(section.project, analysis, wanted)
    packages, notes = packages_of(section.project)
    origin = comes_from(analysis)
    chosen: list[Figure] = []
    pieces: list[Callable[[Mapping[Any, str]], str]] = []
    for key in sorted(wanted, key=lambda one: one != "sentence"):
        kind, _, name = key.partition(":")
        if kind == "figure":
            drawn = figures[name]
            chosen.append(drawn)
            odd = with_signs(tex(drawn.caption or drawn.alt))[1]
            pieces.append(
                lambda paths, drawn=drawn, key=key: with_signs(figure_latex(paths[drawn.kind], drawn, labels[key]))[0]  # type: ignore[misc]
            )
        else:
            is_table = kind == "table"
            latex = table_latex(result, name, labels[key], packages=packages) if is_table else _sentence(result, labels)
            made, odd = with_signs(latex)
            pieces.append(lambda _, made=made: made)  # type: ignore[misc]
        notes += [said_of(odd)] if odd else []
    return Coming(
        Draft.Kind.RESULT,
        ENGINE,
        f"Analysis {analysis.number}: {analysis.title}",
        lambda paths: "\n".join(f"{piece(paths)}{origin}\n" for piece in pieces),
        FROM,
        lambda lines: [f"Already in this section: {line.removeprefix('% From ')}." for line in lines],
        findings=[{"analysis": str(analysis.pk)}],
        notes=list(dict.fromkeys([*_about(analysis), *notes])),
        pictures={one.kind: Picture(figure_name(analysis, one), partial(_bytes_of, one)) for one in chosen},
    )


def _bytes_of(figure: Figure) -> bytes:
    try:
        with (figure.pdf or figure.png).open("rb") as opened:
            return cast(bytes, opened.read())
    except OSError:
        raise Refused(
            "The disk has lost this figure. Run the analysis again and put that in.",
            field="parts",
            code="lost",
            status=409,
        ) from None


def comes_from(analysis: Analysis) -> str:
    """`% From analysis 4 “...” (analysis ID), trials.csv version 2`: one line, whatever it is called."""
    data = analysis.data
    named = in_a_line(f", {data.dataset.name} version {data.number}", 200) if data is not None else ""
    return f"{FROM}{analysis.number} “{in_a_line(analysis.title, 120)}” (analysis {analysis.pk}){named}"


def figure_name(analysis: Analysis, figure: Figure) -> str:
    """Return what a figure is called among the files of the thesis."""
    return f"analysis-{analysis.number}-{slugify(figure.kind) or 'figure'}.{'pdf' if figure.pdf else 'png'}"


def packages_of(project: Project) -> tuple[Collection[str], list[str]]:
    """Return the packages that tables and figures may use, and what to say of those that are missing.

    A thesis begun here has all; one that was brought has those that its main file loads.
    """
    main = ThesisFile.objects.filter(project=project, is_main=True).first()
    if main is None:
        return ALL, []
    text = "".join(str(piece.get("text", "")) for piece in main.pieces or [])
    loaded = {name.strip() for found in _PACKAGES.findall(text) for name in found.split(",")}
    lacks = not loaded & {"graphicx", "graphics"}
    return ALL & loaded, ["The preamble of this thesis may not load graphicx, which figures need."] if lacks else []


def _check_parts(wanted: list[str], there: list[str]) -> None:
    if not wanted:
        raise Refused("Choose a part of the result first.", field="parts", code="empty")
    if len(wanted) > MOST:
        raise Refused(f"At most {MOST} parts go into a section at once.", field="parts", code="too_many")
    if (unknown := next((one for one in wanted if one not in there), None)) is not None:
        raise Refused(f"This result has no {unknown[:60]}. It has: {', '.join(there)}.", field="parts", code="unknown")


def _labels(project: Project, analysis: Analysis, wanted: list[str]) -> dict[str, str]:
    r"""Return a label for each table and figure that nothing in the thesis has: tab:analysis-4-main, or ...-2."""
    taken = {
        name
        for text in project.sections.values_list("latex", flat=True)
        for name in re.findall(r"\\label\{([^{}]*)\}", text)
    }
    labels: dict[str, str] = {}
    for key in wanted:
        kind, _, name = key.partition(":")
        if name:
            stem = f"{'tab' if kind == 'table' else 'fig'}:analysis-{analysis.number}-{slugify(name) or kind}"
            names = chain([stem], (f"{stem}-{number}" for number in count(2)))
            labels[key] = next(label for label in names if label not in taken)
            taken.add(labels[key])
    return labels


def _sentence(result: dict[str, Any], labels: dict[str, str]) -> str:
    """Return the sentence, a line, with what stands beside it named at its end: "... (Table 2, Figure 1)."."""
    sentence = sentence_latex(result)
    if not labels or not sentence:
        return f"{sentence}\n"
    named = [rf"{'Table' if key.startswith('table:') else 'Figure'}~\ref{{{label}}}" for key, label in labels.items()]
    return re.sub(r"\.\s*\Z", "", sentence) + f" ({', '.join(named)}).\n"


def _about(analysis: Analysis) -> list[str]:
    """Return what should be known of a result before it stands in a thesis."""
    result = analysis.result or {}
    notes = ["Its data has a newer version. Run it again before you rely on it."] if is_stale(analysis) else []
    notes += [one["message"] for one in result.get("warnings") or [] if one.get("message")][:5]
    concerns = [one for one in result.get("assumptions") or [] if one.get("status") == "concern"]
    notes += [f"{one.get('test', '')}: {one.get('text', '')}".strip(": ") for one in concerns][:5]
    return notes
