"""Inserting the result of an analysis into a section: its sentence, tables and figures (SPEC N2, T7).

pdflatex stops at characters that it cannot print, such as Devanagari or emoji (SPEC T5). In text that a person wrote
they are left as they are. In a result they come from names in the data, so each run of them is replaced by a sign,
and the proposal names them.
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
from latex.printable_characters import can_be_set
from projects.models import Project
from sections.models import Section, ThesisFile
from thesis.drafting.proposal import Insertion, Picture
from thesis.models import Draft
from thesis.run_references import as_one_line

SIGN = "?"


def replace_unprintable(latex: str) -> tuple[str, list[str]]:
    """Replace each run of characters that cannot be printed by SIGN. Return the text and those runs, each once."""
    if latex.isascii():
        return latex, []
    runs = [(settable, "".join(letters)) for settable, letters in groupby(latex, can_be_set)]
    made = "".join(run if settable else SIGN for settable, run in runs)
    return made, list(dict.fromkeys(run for settable, run in runs if not settable))


def unprintable_note(runs: list[str]) -> str:
    """Return a sentence that names the replaced characters."""
    named = ", ".join(f"“{run[:40]}”" for run in runs[:5]) + (" and others" if len(runs) > 5 else "")
    return (
        f"{SIGN} stands for characters that LaTeX cannot print here: {named}. Rename the column or level in Latin "
        f"letters, or replace the {SIGN} yourself."
    )


MOST = 40  # parts per insertion
ENGINE = "R, as it was computed"
FROM = "% From analysis "
_PACKAGES = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Part:
    """A part of a result that can be inserted: `key` is "sentence", "table:main" or "figure:box"."""

    key: str
    label: str


def parts_of(analysis: Analysis) -> list[Part]:
    """Return the parts of a result that can be inserted, in that order. Takes one query for the figures."""
    result = analysis.result or {}
    drawn = (one for one in analysis.figures.all() if one.pdf or one.png)
    return [
        *([Part("sentence", "The sentence")] if sentence_latex(result) else []),
        *(Part(f"table:{one['id']}", f"Table: {one.get('title') or one['id']}") for one in result.get("tables") or []),
        *(Part(f"figure:{one.kind}", f"Figure: {one.caption or one.alt or one.kind}") for one in drawn),
    ]


def result_insertion(section: Section, analysis: Analysis, parts: Iterable[str]) -> Insertion:
    """Return the content that inserts `parts` of `analysis` into `section`.

    The sentence comes first, then tables and figures in the chosen order. Raises Refused for an analysis of another
    thesis or without a result, for no part, more than MOST parts, and an unknown part.
    """
    if analysis.project_id != section.project_id:
        raise Refused("This analysis belongs to another thesis.", field="analysis", code="unknown")
    result = analysis.result
    if result is None:
        raise Refused("This analysis has no result yet.", field="analysis", code="no_result", status=409)
    wanted = list(dict.fromkeys(parts))
    _check_parts(wanted, [one.key for one in parts_of(analysis)])
    figures = {one.kind: one for one in analysis.figures.all()}
    labels = _labels(section.project, analysis, wanted)
    packages, notes = packages_of(section.project)
    origin = analysis_origin(analysis)
    chosen: list[Figure] = []
    pieces: list[Callable[[Mapping[Any, str]], str]] = []
    for key in sorted(wanted, key=lambda one: one != "sentence"):
        kind, _, name = key.partition(":")
        if kind == "figure":
            drawn = figures[name]
            chosen.append(drawn)
            odd = replace_unprintable(tex(drawn.caption or drawn.alt))[1]
            pieces.append(
                lambda paths, drawn=drawn, key=key: replace_unprintable(
                    figure_latex(paths[drawn.kind], drawn, labels[key])
                )[0]  # type: ignore[misc]
            )
        else:
            is_table = kind == "table"
            latex = table_latex(result, name, labels[key], packages=packages) if is_table else _sentence(result, labels)
            made, odd = replace_unprintable(latex)
            pieces.append(lambda _, made=made: made)  # type: ignore[misc]
        notes += [unprintable_note(odd)] if odd else []
    return Insertion(
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
            "The file of this figure is missing on the server. Run the analysis again and insert the new result.",
            field="parts",
            code="lost",
            status=409,
        ) from None


def analysis_origin(analysis: Analysis) -> str:
    """Return the comment on the origin of a result: `% From analysis 4 “...” (analysis ID), trials.csv version 2`."""
    data = analysis.data
    named = as_one_line(f", {data.dataset.name} version {data.number}", 200) if data is not None else ""
    return f"{FROM}{analysis.number} “{as_one_line(analysis.title, 120)}” (analysis {analysis.pk}){named}"


def figure_name(analysis: Analysis, figure: Figure) -> str:
    """Return the file name of a figure among the files of the thesis."""
    return f"analysis-{analysis.number}-{slugify(figure.kind) or 'figure'}.{'pdf' if figure.pdf else 'png'}"


def packages_of(project: Project) -> tuple[Collection[str], list[str]]:
    """Return the LaTeX packages that tables and figures may use, and notes on missing ones.

    A thesis created here has all of them; an imported one has those that its main file loads.
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
        raise Refused(f"At most {MOST} parts can be inserted at once.", field="parts", code="too_many")
    if (unknown := next((one for one in wanted if one not in there), None)) is not None:
        raise Refused(
            f"This result has no part {unknown[:60]}. Available: {', '.join(there)}.", field="parts", code="unknown"
        )


def _labels(project: Project, analysis: Analysis, wanted: list[str]) -> dict[str, str]:
    r"""Return an unused label for each table and figure, such as tab:analysis-4-main or tab:analysis-4-main-2."""
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
    """Return the sentence as a line. It ends with references to the tables and figures: "... (Table 2, Figure 1)."."""
    sentence = sentence_latex(result)
    if not labels or not sentence:
        return f"{sentence}\n"
    named = [rf"{'Table' if key.startswith('table:') else 'Figure'}~\ref{{{label}}}" for key, label in labels.items()]
    return re.sub(r"\.\s*\Z", "", sentence) + f" ({', '.join(named)}).\n"


def _about(analysis: Analysis) -> list[str]:
    """Return notes on a result: a newer version of its data, warnings of R, and assumptions in doubt."""
    result = analysis.result or {}
    notes = ["The data has a newer version. Run the analysis again before you use it."] if is_stale(analysis) else []
    notes += [one["message"] for one in result.get("warnings") or [] if one.get("message")][:5]
    concerns = [one for one in result.get("assumptions") or [] if one.get("status") == "concern"]
    notes += [f"{one.get('test', '')}: {one.get('text', '')}".strip(": ") for one in concerns][:5]
    return notes
