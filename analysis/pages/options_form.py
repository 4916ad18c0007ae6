"""Form fields for the options of an analysis, made from the JSON Schemas of the R service (GET /analyses)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import async_to_sync
from django.http import QueryDict

from analysis.pages.level_rows import number_in
from analysis.r_client.client import catalogue
from analysis.r_client.errors import EngineError

PREFIX = "o."  # of the field names of options
LONGEST = 200  # characters of one option
WORDS = {
    "two.sided": "Two-sided",
    "less": "Less: the first is lower",
    "greater": "Greater: the first is higher",
    "pearson": "Pearson: along a line",
    "spearman": "Spearman: by ranks",
    "kendall": "Kendall: by ranks, many ties",
    "games_howell": "Games-Howell: unequal variances",
    "tukey": "Tukey: equal variances",
    "OR": "Odds ratio",
    "RR": "Risk ratio",
    "RD": "Risk difference",
    "MD": "Mean difference",
    "SMD": "Standardised mean difference",
    "GEN": "As given (estimates and standard errors)",
    "FE": "Fixed effect, inverse variance",
    "MH": "Fixed effect, Mantel-Haenszel",
    "REML": "Random effects, REML",
    "DL": "Random effects, DerSimonian-Laird",
    "PM": "Random effects, Paule-Mandel",
    "unweighted": "Unweighted",
    "linear": "Linear",
    "quadratic": "Quadratic",
    "higher": "Higher scores",
    "lower": "Lower scores",
    "icc1": "ICC(1,1): other raters for each case",
    "icc2": "ICC(2,1): a sample of raters, absolute agreement",
    "icc3": "ICC(3,1): these raters only, consistency",
    "icc1k": "ICC(1,k): mean of other raters",
    "icc2k": "ICC(2,k): mean of a sample of raters",
    "icc3k": "ICC(3,k): mean of these raters",
}


@dataclass
class OptionField:
    """A form field. `kind` is text, choice, flag, number, numbers or columns.

    `value` is the text as typed; `ticked` are the chosen columns of the kind "columns".
    """

    name: str
    kind: str
    title: str
    value: str = ""
    hint: str = ""
    choices: Sequence[tuple[str, str]] = ()
    ticked: Sequence[str] = ()
    wrong: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    required: bool = False

    @property
    def key(self) -> str:
        """Return the name of the form field."""
        return f"{PREFIX}{self.name}"

    @property
    def id(self) -> str:
        """Return the HTML id of the form field."""
        return f"o-{self.name}"


def entry_of(part: str, name: str) -> Mapping[str, Any] | None:
    """Return the catalogue entry of an analysis, {name, title, params}; None if it does not exist.

    `part` is "analyses" or "designs". Raises EngineError with the code "absent" when R does not answer.
    """
    entries = async_to_sync(catalogue)().get(part)
    if not isinstance(entries, list):
        raise EngineError("internal", "The analysis engine sent no list of analyses.")
    return next((one for one in entries if one.get("name") == name), None)


def option_schema(entry: Mapping[str, Any] | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the JSON Schemas of the options of an analysis by name."""
    return dict((entry or {}).get("params", {}).get("properties", {}).get("options", {}).get("properties", {}))


def fields_of(
    schemas: Mapping[str, Mapping[str, Any]],
    given: Mapping[str, Any],
    *,
    values: Mapping[str, Sequence[str]] | None = None,
    columns: Sequence[tuple[str, str, str]] = (),
    required: Sequence[str] = (),
) -> list[OptionField]:
    """Return a form field for each schema. `given` are JSON values by name; the others have the default of the schema.

    `values` are, by the name of an option, the column values it can choose from. `columns` (id, name, type) are the
    columns an option can name.
    """
    return [
        _field(
            name, schema, given.get(name, schema.get("default")), (values or {}).get(name), columns, name in required
        )
        for name, schema in schemas.items()
    ]


def _field(
    name: str,
    schema: Mapping[str, Any],
    given: Any,
    values: Sequence[str] | None,
    columns: Sequence[tuple[str, str, str]],
    required: bool,
) -> OptionField:
    made = OptionField(
        name,
        "text",
        str(schema.get("title") or name.replace("_", " ").capitalize()),
        typed(given),
        schema=schema,
        required=required,
    )
    kind = schema.get("type")
    named = [(id, words) for id, words, type_ in columns if schema.get("column") != "numeric" or type_ == "numeric"]
    if "enum" in schema:
        made.kind = "choice"
        made.choices = [(str(one), WORDS.get(str(one), str(one).replace("_", " "))) for one in schema["enum"]]
    elif kind == "boolean":
        made.kind, made.value = "flag", "on" if given else ""
    elif kind in ("number", "integer"):
        made.kind, made.hint = "number", _bounds(schema)
    elif kind == "array" and "column" in schema:
        made.kind, made.choices, made.ticked = "columns", named, [str(one) for one in given or []]
    elif kind == "array":
        made.kind, made.hint = "numbers", "Numbers, separated by spaces."
    elif "column" in schema:
        made.kind, made.choices = "choice", [("", "None"), *named]
    elif values is not None:
        made.kind = "choice"
        made.choices = [("", "Choose…" if required else "Automatic"), *((one, one) for one in values)]
    return made


def key_of(fields: Sequence[OptionField]) -> str:
    """Return a hash of the fields and their choices, without the typed values."""
    asked = [(one.name, list(one.choices), one.required) for one in fields]
    return hashlib.sha256(repr(asked).encode()).hexdigest()[:12]


def typed(value: Any) -> str:
    """Return a JSON value as a user would type it; true as a checkbox sends it."""
    if value is None or value is False:
        return ""
    if value is True:
        return "on"
    if isinstance(value, list):
        return " ".join(typed(one) for one in value)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _bounds(schema: Mapping[str, Any]) -> str:
    """Return a hint with the bounds of a number; "" if they are so wide that they only exclude nonsense."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or high is None or low < 0 or high > 1000 or high - low == 1 != high:
        return ""
    return "Between 0 and 1." if low >= 0 and high <= 1 else f"From {low:g} to {high:g}."


def read_fields(fields: Sequence[OptionField], data: QueryDict) -> dict[str, Any]:
    """Return the values of `fields` in a sent form, by name, without the empty ones.

    Each field is updated: it keeps what was typed, and `wrong` says what is wrong with it.
    """
    found: dict[str, Any] = {}
    for one in fields:
        one.value = data.get(one.key, "").strip()[:LONGEST]
        if one.kind == "columns":
            one.ticked = data.getlist(one.key)
            found[one.name] = [id for id, _ in one.choices if id in one.ticked]
        elif one.kind == "flag":
            found[one.name] = bool(one.value)
        elif not one.value:
            one.wrong = "This field is required." if one.required else ""
        else:
            try:
                found[one.name] = _value(one)
            except ValueError as problem:
                one.wrong = str(problem)
    return found


def _value(field: OptionField) -> Any:
    if field.kind == "number":
        return _number(field.value, field.schema)
    if field.kind == "numbers":
        return [_number(one, field.schema.get("items", {})) for one in field.value.replace(";", " ").split()]
    if field.kind == "choice" and field.value not in {value for value, _ in field.choices}:
        raise ValueError("Choose an option from the list.")
    return field.value


def _number(text: str, schema: Mapping[str, Any]) -> float | int:
    """Return a typed number, with a decimal point or comma. Raises ValueError with a message for the user."""
    value = number_in(text.strip(","))
    if value is None:
        raise ValueError(f"“{text[:40]}” is not a number.")
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        bound = f"at least {low:g}" if low is not None and value < low else f"at most {high:g}"
        raise ValueError(f"It must be {bound}, not {text[:40]}.")
    if schema.get("type") != "integer":
        return value
    if not value.is_integer():
        raise ValueError("Enter a whole number.")
    return int(value)
