"""LaTeX that is not in the thesis yet as set text, for previews and proposals (SPEC G1, T7). It has no numbers yet."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from citations.api.search import label_of
from citations.badges import badge_of
from citations.models import Citation
from latex.numbering import Numbered, walk
from projects.models import Project
from sections.models import ThesisFile
from thesis.assembly.latex_checks import labels_used
from thesis.manuscript import Chapter
from thesis.manuscript_page.chapter_html import CitedWork, HtmlWriter, Picture
from thesis.manuscript_page.mathml import mathml_formulas
from thesis.numbering import native_counters
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.read import read_latex
from thesis.pandoc_ast.text_order import Stretch
from thesis.preview.chapter_data import ChapterConverter, formulas_of
from thesis.preview.chapters import chapter_part, count_chapter, target_of
from thesis.preview.citations import Cited, Inline

_SECONDS = 4
_LONGEST = 60_000  # characters that are set; a longer text is shown as source
_ORIGIN = re.compile(r"^% (From .*?) \((?:analysis|run) [0-9a-f-]{36}\)(.*)$", re.MULTILINE)
NUMBERED_LATER = "(number after insertion)"
_MARK = re.compile(' data-map="\0\\d+\0"')


def set_fragment(
    latex: str,
    works: Mapping[str, Citation],
    pictures: Mapping[str, str] | None = None,
    labels: Mapping[str, Numbered] | None = None,
) -> SafeString:
    """Return `latex` as HTML, with a badge for each of the cited `works`; "" for a text that cannot be set.

    `pictures` has addresses by paths in the text; `labels` are those of the thesis. Captions have no numbers: these
    depend on the place in the thesis, and so do references to them.
    """
    read = read_latex(latex, seconds=_SECONDS, longest=_LONGEST)
    if read.why:
        return SafeString("")
    chapter = Chapter("fragment", 0, "fragment", "", latex)
    counters = native_counters()
    counters.declare(latex)
    stretches = [(Stretch(latex, counters=counters), read)]
    numbers = Numbers()
    count_chapter(numbers, chapter, stretches)
    for label, target in numbers.labels.items():
        numbers.labels[label] = target._replace(number=NUMBERED_LATER if target.number else "", bookmark="")
    for label, one in (labels or {}).items():
        numbers.labels.setdefault(label, target_of(one))
    converter = ChapterConverter(numbers, partial(_cite, works), mathml_formulas(formulas_of(numbers)))
    part, _ = chapter_part(converter, chapter, stretches)
    if part["source"]:
        return SafeString("")
    found = {}
    for node, shown in converter.pictures:
        node.update(path=shown.path, part=shown.part, points=shown.points)
        found[shown.path] = Picture((pictures or {}).get(shown.path, ""), shown.path)
    _remove_numbers(part["blocks"])
    writer = HtmlWriter("fragment", {key: _work(one) for key, one in works.items()}, {}, found)
    try:
        made = _MARK.sub("", writer.chapter(part))
    except RecursionError:
        return SafeString("")
    origins = dict.fromkeys("".join(one) for one in _ORIGIN.findall(latex))
    return mark_safe(made + "".join(f'<p class="small soft">{escape(one)}</p>' for one in origins))


def labels_of(latex: str) -> dict[str, Numbered]:
    """Return the labels that a text defines, for another text that is inserted with it: they have no number yet."""
    parts = walk(latex, native_counters())
    return {label: part._replace(refers=NUMBERED_LATER) for part in parts for label in part.labels}


def refers_elsewhere(latex: str) -> bool:
    """Return whether a text refers to labels that it does not define."""
    return any(f"\\label{{{label}}}" not in latex for label in labels_used(latex))


def pictures_by_path(project: Project) -> dict[str, str]:
    """Return the addresses of the pictures among the files of a thesis, by their paths."""
    rows = ThesisFile.objects.filter(project=project, kind=ThesisFile.Kind.PICTURE).values_list("path", flat=True)
    return {path: reverse("sections:file_by_path", args=[project.pk, path]) for path in rows}


def _cite(works: Mapping[str, Citation], cited: Cited) -> list[Inline]:
    """Return a citation as the chips of its works, since it is not among the numbered ones of the thesis."""
    made: list[Inline] = [*cited.before, " "] if cited.before else []
    for place, key in enumerate(cited.keys):
        made += [" "] if place else []
        known = works.get(key)
        made.append({"k": "to", "to": key, "c": label_of(known)} if known else {"k": "lost", "c": key})
    return [*made, ", ", *cited.after] if cited.after else made


def _work(citation: Citation) -> CitedWork:
    badge = badge_of(citation)
    is_new = citation._state.adding
    address = "" if is_new else reverse("citations:detail", args=[citation.project_id, citation.pk])
    return CitedWork(address, badge.tier, badge.letter, badge.icon, badge.words)


def _remove_numbers(blocks: list[dict[str, Any]]) -> None:
    for block in blocks:
        if "lead" in block and block["lead"]:
            block["lead"] = f"{block['lead'].split()[0].rstrip(':')}:"
        if "n" in block and block["k"] in ("h", "eq"):
            block["n"] = ""
        for inside in (block.get("c"), *(cell.get("c") for row in block.get("body", ()) for cell in row)):
            if isinstance(inside, list) and inside and isinstance(inside[0], dict) and block["k"] != "p":
                _remove_numbers([one for one in inside if isinstance(one, dict) and "k" in one])
