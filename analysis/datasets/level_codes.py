"""Parameters that name a level ("which value is the event"), when levels have labels.

A request may name a level by its code or its label. The code is stored, so that an analysis can run again after labels
change; R gets the label, since its data contain labels. The default event of R (1 of 0 and 1, 2 of 1 and 2, true) stays
the default when the codes have labels.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.datasets.value_labels import code_named, codes_of, label_of_code

# The option that names a level, and the parameters whose column it belongs to; the first that is set counts.
VALUE_OF = {"event_value": ("event", "reference", "outcome"), "test_value": ("test",)}
_CODED = (({"0", "1"}, "1"), ({"1", "2"}, "2"), ({"false", "true"}, "true"))
_MEASURED = ("outcome", "first", "second")  # parameters of any type whose values are compared as numbers or by order
_COMPARED = {
    "kappa": ("raters",),
    "mcnemar": ("row", "column"),
    "wilcoxon": ("first", "second"),
    "friedman": ("columns",),
}
Columns = Sequence[Mapping[str, Any]]


def params_in_codes(params: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """Return `params` with levels named by their codes instead of their labels."""
    return _renamed(params, columns, code_named)


def params_for_r(
    params: dict[str, Any], columns: Columns, entry: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return `params` for R, and the ids of the columns that R gets as codes instead of labels.

    `entry` describes the analysis in R's catalogue. Codes are sent where numbers are compared, and where columns with
    different labels are compared with each other.
    """
    coded = list(dict.fromkeys(_coded(params, columns, entry)))
    labelled = [one for one in columns if one.get("labels") and one["id"] not in coded]
    if not labelled:
        return params, coded
    asked = params_in_codes(params, columns)
    known = entry.get("params", {}).get("properties", {}).get("options", {}).get("properties", {})
    options = dict(asked.get("options") or {})
    for name in VALUE_OF:
        column = _column(name, asked, labelled)
        if column is None or name not in known or options.get(name):
            continue
        code = event_of(codes_of(column))
        if name == "test_value" and (event := options.get("event_value")) in codes_of(column):
            code = str(event)  # one value may serve both columns
        if code:
            options[name] = code
    if options:
        asked = {**asked, "options": options}
    return _renamed(asked, labelled, label_of_code), coded


def event_of(codes: Sequence[str]) -> str:
    """Return the code that R takes as the event by default; "" when the user has to choose it."""
    found = {one.lower() for one in codes}
    return next((event for coding, event in _CODED if found and found <= coding), "")


def _renamed(params: dict[str, Any], columns: Columns, rename: Any) -> dict[str, Any]:
    options = params.get("options")
    if not isinstance(options, dict):
        return params
    made = dict(options)
    for name in VALUE_OF:
        column = _column(name, params, columns)
        value = made.get(name)
        if column is not None and column.get("labels") and isinstance(value, str | int) and not isinstance(value, bool):
            made[name] = rename(column, str(value))
    return {**params, "options": made}


def _column(option: str, params: Mapping[str, Any], columns: Columns) -> Mapping[str, Any] | None:
    """Return the column to which the level named by an option belongs."""
    id_ = next((params[name] for name in VALUE_OF[option] if params.get(name)), None)
    return next((one for one in columns if one["id"] == id_), None)


def _coded(params: Mapping[str, Any], columns: Columns, entry: Mapping[str, Any]) -> Iterator[str]:
    schema = entry.get("params", {}).get("properties", {})
    by_id = {one["id"]: one for one in columns}
    for name, value in params.items():
        ids = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and one in by_id]
        kind = schema.get(name, {}).get("column")
        is_measured = name in _MEASURED or (entry.get("name") == "friedman" and name == "columns")
        is_coded = kind == "any" and is_measured
        yield from (one for one in ids if kind == "numeric" or (is_coded and by_id[one]["type"] != "ordered"))
    compared = [
        by_id[one]
        for name in _COMPARED.get(str(entry.get("name")), ())
        for one in (params[name] if isinstance(params.get(name), list) else [params.get(name)])
        if one in by_id
    ]
    if not _agree(compared):
        yield from (one["id"] for one in compared)


def _agree(columns: Columns) -> bool:
    """Return whether each code has the same label in all of `columns`, and no label stands for two codes."""
    pairs = {(code, label_of_code(one, code)) for one in columns for code in codes_of(one)}
    return len(pairs) == len({code for code, _ in pairs}) == len({label for _, label in pairs})
