"""Checks of the rows before an analysis runs: whether each row is a different person, and which value of a status is
the event.

Pages, the API and the command line all use these checks, so they refuse the same rows with the same words. What a user
states about the rows is saved with the analysis (why["said"]) and becomes a note of its result (why["notes"]).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.advice.associations import quoted_list
from analysis.advice.classify_question import UNSUPPORTED_BY_ID
from analysis.advice.question_catalogue import ANALYSIS_NAMES
from analysis.datasets.excluded_rows import left_out_words, rows_text
from analysis.datasets.export import cell_meaning
from analysis.datasets.repeated_people import Cells, Repeats, repeats_in
from analysis.datasets.value_labels import label_of_code
from analysis.models import DatasetVersion
from analysis.presentation.latex import tex
from core.errors import Refused

ROWS_INDEPENDENT, OTHERS_CENSORED = "rows_independent", "others_censored"  # what a user may state about the rows
_DESCRIBE = {"descriptive", "normality", "table1", "histogram", "box", "bar", "scatter", "qq"}
_STUDIES = {"meta", "forest", "funnel"}  # analyses whose rows are studies, not people
_TIMED = {"cox", "kaplan_meier", "km"}
_PAIRED = {"paired_t", "wilcoxon", "mcnemar", "friedman", "bland_altman", "kappa", "icc"}
_LIMITS = "<>≤≥"
# Codes for missing values that are in fact numbers with a limit or a unit: "<0.5", "80 kg", "12%".
_MEASURED = re.compile(rf"^[{_LIMITS}]=?\s*[0-9]|^[+-]?[0-9][0-9.,]*\s*[^\W\d]|^[0-9.,]+\s*[%°]")
_FIGURES = {"km": "Kaplan-Meier curves", "roc": "ROC curve", "bland_altman": "Bland-Altman plot"}


@dataclass(frozen=True)
class RowData:
    """The rows of an analysis: the descriptions of the columns, a summary of each, and a function that reads cells."""

    columns: Sequence[Mapping[str, Any]]
    summary: Mapping[str, Any]
    cells: Cells


def cell_notes(ids: Sequence[str], rows: RowData) -> list[str]:
    """Return notes about numbers of the columns `ids` that differ from the file.

    Such numbers were converted to another unit, or count as missing because of their unit or because they are limits.
    """
    notes = []
    for column in (one for one in rows.columns if one["id"] in ids and one["type"] == "numeric"):
        called = f"“{column.get('label') or column['name']}”"
        if made := column.get("converted"):
            parts = " and ".join(f"{one['count']:,} in {one['unit']}" for one in made["from"])
            notes.append(f"Values of {called} that were converted to {made['to']}: {parts}.")
        codes = [text for text in column.get("missing") or () if _MEASURED.search(text)]
        counts = (
            Counter(text for text in rows.cells([column["id"]])[column["id"]] if text in codes) if codes else Counter()
        )
        beyond = [text for text in counts if text[0] in _LIMITS]
        if others := counts.total() - (count := sum(counts[text] for text in beyond)):
            unit = column["unit"] or "the others"
            notes.append(f"{_values(others)} of {called} in another unit than {unit} {_count(others)} as missing.")
        if beyond:
            notes.append(
                f"{_values(count)} of {called} beyond a limit ({quoted_list(beyond, 4)}) {_count(count)} as missing, "
                "though not by chance."
            )
    return notes


def _values(count: int) -> str:
    return f"{count:,} {'value' if count == 1 else 'values'}"


def _count(count: int) -> str:
    return "counts" if count == 1 else "count"


def row_data_of(version: DatasetVersion) -> RowData:
    """Return the rows of a dataset version; cells are read from the file when they are needed."""
    from analysis.datasets.storage import cells_of

    return RowData(version.columns, version.summary, lambda ids: cells_of(version, ids))


def check_rows(
    name: str, params: Mapping[str, Any], ids: Sequence[str], rows: RowData, said: Mapping[str, Any]
) -> list[str]:
    """Return the notes for the result of analysis `name` on the columns `ids`.

    `said` is {rows_independent, others_censored}, true for what the user stated. Raises Refused while a needed
    statement is missing.
    """
    return [
        *_check_people(name, params, ids, rows, said),
        *_check_event(name, params, rows, said),
        *cell_notes(ids, rows),
    ]


def repeated_rows_message(name: str, repeats: Repeats) -> str:
    """Return why an analysis that counts each row as a different person is refused, and what to do instead."""
    if name in _PAIRED:
        fits = "It needs one row for each person, with the times or raters beside each other in columns."
    elif repeats.most == 2 and repeats.repeated == repeats.people:
        fits = (
            "What fits: one row for each person. If the rows are two times of the same person, put them beside each "
            "other in two columns and ask whether the same people changed (a paired test)."
        )
    else:
        fits = (
            "What fits: one row for each person (the first, or a mean), or the times beside each other in columns and "
            "a paired test; for all rows at once a mixed model, which Scholium does not have."
        )
    called = ANALYSIS_NAMES.get(name) or _FIGURES.get(name) or name.replace("_", " ").capitalize()
    return f"{repeats.sentence} {called} would count every row as a different person. {fits}"


def _check_people(
    name: str, params: Mapping[str, Any], ids: Sequence[str], rows: RowData, said: Mapping[str, Any]
) -> list[str]:
    if not ids or name in _STUDIES:
        return []
    describes = name in _DESCRIBE and not (params.get("options") or {}).get("p_values")
    repeats = repeats_in(rows.columns, rows.summary, rows.cells, [] if name in ("descriptive", "table1") else ids)
    if repeats is None:
        return []
    if describes:
        more = " The test of normality takes them as independent." if name == "normality" else ""
        return [f"Counts are rows, not people: {repeats.sentence}{more}"]
    if said.get(ROWS_INDEPENDENT) is not True:
        raise Refused(repeated_rows_message(name, repeats), field=ROWS_INDEPENDENT, code="repeated_rows")
    return [
        f"{repeats.sentence} Whoever ran this analysis stated that the rows are independent nevertheless; "
        "each row counts separately."
    ]


def _check_event(name: str, params: Mapping[str, Any], rows: RowData, said: Mapping[str, Any]) -> list[str]:
    """Return the note on a status with more than two values. Raises Refused until the meaning of all is known."""
    event = next((one for one in rows.columns if one["id"] == params.get("event")), None)
    if name not in _TIMED or event is None:
        return []
    if int((rows.summary.get(event["id"]) or {}).get("distinct") or 0) <= 2:
        return []
    values = sorted(
        {label_of_code(event, cell_meaning(event, text)) for text in rows.cells([event["id"]])[event["id"]]} - {""}
    )
    called, chosen = str(event.get("label") or event["name"]), (params.get("options") or {}).get("event_value")
    chosen = chosen and label_of_code(event, str(chosen))
    if not chosen:
        raise Refused(
            f"“{called}” has {len(values)} values: {quoted_list(values)}. "
            "Say which of them is the event (option event_value), and what the other ones mean.",
            field="params.options.event_value",
            code="which_event",
        )
    if said.get(OTHERS_CENSORED) is not True:
        raise Refused(
            f"“{chosen}” is the event. The other values of “{called}” are "
            f"{quoted_list([one for one in values if one != str(chosen)])}: say that they are people to whom "
            "nothing had happened when they were last seen (censored). "
            f"If one of them is an event too: {UNSUPPORTED_BY_ID['competing_risks'].message}",
            field=OTHERS_CENSORED,
            code="other_values",
        )
    return [
        f"“{chosen}” is the event; every other value of “{called}” counts as censored, "
        "as whoever ran this analysis stated."
    ]


def add_row_notes(result: dict[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """Return a result of R with `notes` about its rows before its own warnings."""
    added = [{"code": "rows", "message": note, "columns": []} for note in notes]
    return {**result, "warnings": [*added, *(result.get("warnings") or [])]} if added else result


_ROW = re.compile(r"((?:\bin|:) row )([0-9]{1,6})\b")
_LONGEST = 500  # characters of a line in a script
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


def add_left_out_rows(answer: dict[str, Any], left_out: Sequence[Mapping[str, Any]], data: str = "") -> dict[str, Any]:
    """Return the `answer` of the R service with a note on the rows `left_out` ([{rows, reason}]) of `data`.

    The note is added to the sentence, the tables and the script. Without such rows the answer is returned unchanged.
    """
    said = left_out_words(left_out)
    if not said:
        return answer
    made = {**answer, "left_out": [dict(one) for one in left_out]}
    if sentence := answer.get("sentence"):
        plain, latex = sentence.get("plain") or "", sentence.get("latex") or ""
        made["sentence"] = {**sentence, "plain": f"{plain} {said}".strip()}
        if latex:
            made["sentence"]["latex"] = f"{latex} {tex(said)}"
    if tables := answer.get("tables"):
        made["tables"] = [{**one, "footnotes": [*(one.get("footnotes") or []), said]} for one in tables]
    script = answer.get("script") or {}
    if code := script.get("code"):
        code = _commented(code, left_out, data)
        made["script"] = {**script, "code": code, "sha256": hashlib.sha256(code.encode()).hexdigest()}
    return made


def use_file_row_numbers(message: str, numbers: Sequence[int]) -> str:
    """Return a message of the R service with the row numbers of the file.

    R counts the rows that were sent; `numbers` are their numbers in the uploaded file.
    """

    def put(found: "re.Match[str]") -> str:
        at = int(found[2])
        return f"{found[1]}{numbers[at - 1]}" if 0 < at <= len(numbers) else found[0]

    return _ROW.sub(put, message)


def _commented(code: str, left_out: Sequence[Mapping[str, Any]], data: str) -> str:
    """Return the script with a comment on the rows that are left out, below its first comments."""
    lines = code.split("\n")
    at = next((place for place, line in enumerate(lines) if not line.startswith("#")), len(lines))
    told = [f"# Left out of data.csv{f' ({data})' if data else ''}, by the rows of the uploaded file:"]
    told += [f"#   {rows_text(one['rows'])}: {one['reason']}" for one in left_out]
    safe = [
        line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
        for line in (_INVISIBLE.sub(" ", one) for one in told)
    ]
    return "\n".join([*lines[:at], *safe, *lines[at:]])
