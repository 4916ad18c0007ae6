"""The form with the read options of a file: sheet, separator, decimal sign, encoding and header rows (SPEC N1)."""

from collections.abc import Mapping
from typing import Any

from analysis.models import DatasetVersion
from core.errors import Refused

SEPARATORS = [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar"), (" ", "space")]
DECIMALS = [(".", "point: 1.5"), (",", "comma: 1,5")]
ENCODINGS = [("utf-8", "UTF-8"), ("cp1252", "Windows (Western Europe)"), ("utf-16", "UTF-16"), ("mac_roman", "Mac")]
MOST_HEADER_ROWS = 3


def choices_of(version: DatasetVersion, sent: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the choices of the form for the file of `version`.

    The selected ones are those it was read with, or those of a form that was `sent`.
    """
    had = {**version.reading, **({key: value for key, value in sent.items() if key in _NAMES} if sent else {})}
    encoding = str(had.get("encoding") or "utf-8")
    encodings = ENCODINGS if encoding in dict(ENCODINGS) else [(encoding, encoding), *ENCODINGS]
    missing = had.get("missing") or []
    return {
        "is_book": bool(version.sheets),
        "sheets": [sheet.get("name", "") for sheet in version.sheets],
        "sheet": had.get("sheet") or "",
        "separators": SEPARATORS,
        "separator": had.get("separator") or ",",
        "decimals": DECIMALS,
        "decimal": had.get("decimal") or ".",
        "encodings": encodings,
        "encoding": encoding,
        "header_rows": had.get("header_rows", 1),
        "day_first": str(had.get("day_first", "")).lower() in ("true", "1", "on"),
        "missing": missing if isinstance(missing, str) else ", ".join(map(str, missing)),
        "words": in_words(version),
    }


def in_words(version: DatasetVersion) -> str:
    """Return the read options in words: "Sheet “Data”." or "Separator: semicolon, decimal comma, UTF-8."."""
    how = version.reading
    encoding = str(how.get("encoding") or "")
    rows = how.get("header_rows")
    separator = dict(SEPARATORS).get(how.get("separator", ""), "")
    said = [
        f"separator: {separator}" if separator else "",
        "decimal comma" if how.get("decimal") == "," else "",
        dict(ENCODINGS).get(encoding, encoding),
    ]
    if version.sheets:
        said = [f"Sheet “{how['sheet']}”" if how.get("sheet") else ""]
    if isinstance(rows, int) and rows != 1:
        said.append("no header row" if rows == 0 else f"{rows} header rows")
    text = ", ".join(filter(None, said))
    return f"{text[0].upper()}{text[1:]}." if text else ""


def reading_in(version: DatasetVersion, sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the read options of `version` with the changes in the form `sent`. Raises Refused for invalid ones."""
    had = {name: value for name, value in version.reading.items() if name != "row_numbers"}
    chosen = {name: value for name, value in sent.items() if name in _NAMES and value != str(had.get(name, ""))}
    reading = dict(had)
    if {"sheet", "separator", "encoding"} & set(chosen):
        # It is another table now: options that were detected are detected again, unless the form sets them.
        reading = {name: value for name, value in had.items() if name in ("sheet", "separator", "encoding", "missing")}
    _check_choices(version, chosen)
    reading |= {name: chosen[name] for name in ("sheet", "separator", "decimal", "encoding") if name in chosen}
    if "decimal" in chosen:
        reading.pop("thousands", None)  # detected again for the new decimal sign
    if (reading.get("separator"), reading.get("decimal")) == (",", ","):
        raise Refused(
            "The separator cannot be a comma if numbers have a decimal comma. Choose another separator.",
            field="separator",
            code="both_commas",
        )
    if "header_rows" in chosen:
        reading["header_rows"] = _header_rows(chosen["header_rows"])
        reading.pop("first_row", None)  # the start of the header is detected again
    if "asked" in sent and ("day_first" in sent) != bool(had.get("day_first")):  # an unticked checkbox sends nothing
        reading["day_first"] = "day_first" in sent
    if "missing" in sent:
        reading["missing"] = list(dict.fromkeys(code.strip() for code in sent["missing"].split(",") if code.strip()))
    return reading


def _check_choices(version: DatasetVersion, chosen: Mapping[str, str]) -> None:
    offered = {
        "sheet": [sheet.get("name") for sheet in version.sheets],
        "separator": dict(SEPARATORS),
        "decimal": dict(DECIMALS),
        "encoding": dict(ENCODINGS),
    }
    for name, choices in offered.items():
        if name in chosen and chosen[name] not in choices:
            raise Refused("Choose an option from the list.", field=name, code="unknown")


def _header_rows(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or int(text[:9]) > MOST_HEADER_ROWS:
        raise Refused(
            f"The number of header rows must be between 0 and {MOST_HEADER_ROWS}.",
            field="header_rows",
            code="header_rows",
        )
    return int(text)


_NAMES = {"sheet", "separator", "decimal", "encoding", "header_rows", "day_first", "missing"}
