"""The table of study methods in a report, written by code from the stored assessments (SPEC R15)."""

from typing import Any

from citations.formats.markdown import escaped
from claims.markers import escape_markers
from research.models import Run
from research.plurals import counted
from research.review.study_methods import assessed, has_methods, studies_of_row

SECTION = "Methodological Approaches"  # in a literature review; in other reports the table has a section of its own
OWN_SECTION = "Methods of the Studies"
LONGEST = 180  # characters of a cell
_COLUMNS = ("Study", "Design", "Sample", "Effect", "Significance", "Limitations and biases", "Confidence")


def methodology_table(run: Run) -> str:
    """Return a Markdown table of the studies with known methods, and a sentence on the others; "" for no studies."""
    rows = assessed(run)
    if not rows:
        return ""
    studies = [one for row in rows for one in studies_of_row(row)]
    lines = [_row([_cell(label), *_cells(kept)]) for label, kept in studies if has_methods(kept)]
    head = [_row(_COLUMNS), _row(["---"] * len(_COLUMNS))] if lines else []
    return "\n".join([*head, *lines, "", _sentence([kept for _, kept in studies])]).strip()


def with_table(body: str, table: str) -> str:
    """Return the sections of a report with `table` appended to the methods section, or in a new section at the end."""
    if not table:
        return body
    before, heading, after = body.partition(f"## {SECTION}\n\n")
    if not heading:
        return f"{body}\n\n## {OWN_SECTION}\n\n{table}"
    section, more, rest = after.partition("\n\n## ")
    return f"{before}{heading}{section}\n\n{table}{more}{rest}"


def _cells(kept: dict[str, Any]) -> list[str]:
    return [
        _notes_cell([kept["study_design"]]),
        _notes_cell([kept["sample_size"], kept["sample_description"]]),
        _notes_cell([kept["effect_size"]]),
        _notes_cell([kept["statistical_significance"]]),
        _notes_cell([*kept["limitations_noted"], *kept["potential_biases"]]),
        f"{kept['confidence']}{', abstract only' if kept['based_on'] == 'abstract' else ''}",
    ]


def _notes_cell(notes: list[dict[str, Any] | None]) -> str:
    said = dict.fromkeys(note["said"].rstrip(". ") for note in notes if note)
    return _cell("; ".join(said)) if said else "–"


def _cell(text: str) -> str:
    short = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]}…"
    # A bracket in the text of a study must not be read as a citation marker.
    return escape_markers(escaped(" ".join(short.split())).replace("[", "\\[")).replace("|", "\\|")


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _sentence(kept: list[dict[str, Any]]) -> str:
    said = ["A dash means that the text does not tell. Each entry rests on words that tell of that study."]
    silent = sum("not_assessed" not in one and not has_methods(one) for one in kept)
    left = sum("not_assessed" in one for one in kept)
    if silent:
        said.append(f"{counted(silent, 'further source')} {'tells' if silent == 1 else 'tell'} nothing of methods.")
    if left:
        said.append(f"{counted(left, 'source')} {'was' if left == 1 else 'were'} not assessed.")
    return " ".join(said)
