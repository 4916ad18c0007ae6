"""Proposals for a column, inferred from its texts (SPEC N1): its type, its levels and its missing values."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from analysis.datasets.cell_vocabulary import (
    MISSING_AMONG_NUMBERS,
    MISSING_WORDS,
    NO,
    SEX_WORDS,
    YES,
    equal_durations,
    natural_order,
    ordered_by,
)
from analysis.datasets.header_codes import code_book
from analysis.datasets.numbers_with_units import (
    Measure,
    are_pressures,
    is_limit,
    measures_of,
    stray_percentages,
    two_numbers,
    units_in,
)
from analysis.datasets.parse_cells import CODE, PLAIN, Dates, Style, dates_of, number_of, numbers_of
from analysis.datasets.units import is_duration

MOST_LEVELS = 200  # of a factor, the limit of the R service
MOST_STEPS = 30  # of a scale
MOSTLY = 0.8  # share of numbers from which a column is numeric; its other cells are listed
_FIGURES = frozenset("0123456789")
_LONGEST = max(map(len, MISSING_WORDS))
FEW = 7  # different numbers that may still be codes of categories
_NAMED = 20  # invalid cells that are listed
Make = Callable[..., dict[str, Any]]
_IDENTIFIER = re.compile(
    r"(?:.*[\W_])?(?:id|ids|no|nr|number|s\.?\s?no|sl\.?\s?no|sr\.?\s?no|code|mrn|uhid|serial|index|case)\.?(?:[\W_].*)?",
    re.IGNORECASE,
)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


def propose_column(
    id_: str,
    name: str,
    counts: Counter[str],
    style: Style,
    day_first: bool | None,
    everywhere: list[str],
    *,
    typed: bool,
) -> tuple[dict[str, Any], dict[str, str], Dates | None]:
    """Return the proposal for a column, the stored form of the texts that are changed, and the dates in it."""
    texts = [text for text in counts if text]
    given = [text for text in everywhere if text in counts]
    absent = [
        text for text in texts if len(text) <= _LONGEST and text[0] not in _FIGURES and text.casefold() in MISSING_WORDS
    ]
    left_out = {*given, *absent}
    values = [text for text in texts if text not in left_out] if left_out else texts
    column: dict[str, Any] = {
        "id": id_,
        "name": name,
        "label": "",
        "unit": "",
        "levels": [],
        "merge": {},
        "codes": [],
        "bad": None,
    }

    def made(
        type_: str, level: str, reason: str, *, is_sure: bool = True, missing: Iterable[str] = (), **more: Any
    ) -> dict[str, Any]:
        column.update(type=type_, level_of_measurement=level, missing=sorted({*given, *missing}), **more)
        column["proposed"] = {"type": type_, "level_of_measurement": level, "reason": reason, "is_sure": is_sure}
        return column

    if not values:
        return made("text", "text", "It contains no values.", is_sure=False, missing=absent), {}, None
    numbers = _numbers(values, style, typed=typed)
    measures = _measures(values, numbers, style)
    numbers |= {text: one.number for text, one in measures.items()}
    shares = stray_percentages({text: counts[text] for text in numbers}, style)
    numbers = {text: one for text, one in numbers.items() if text not in shares}
    measures = {text: one for text, one in measures.items() if text not in shares}
    rows = sum(map(counts.__getitem__, values))
    others = [text for text in values if text not in numbers] if len(numbers) < len(values) else []
    missing = [text for text in others if text.casefold() in MISSING_AMONG_NUMBERS]
    other = [text for text in others if text not in missing]
    many = sum(map(counts.__getitem__, numbers))
    bad = sum(
        counts[text] for text in other if not _INFINITE.fullmatch(text)
    )  # infinite values are listed, but decide nothing
    beyond = sum(counts[text] for text in other if is_limit(text)) if len(numbers) > FEW else 0
    if numbers and many >= 0.5 * rows * bool(beyond) and many + beyond >= MOSTLY * (many + bad):
        units = units_in(measures, counts)
        if (len(units) > 1 or other) and units and all(map(is_duration, units)):
            left = [text for text in values if text not in missing]
            if len(left) <= MOST_STEPS and ordered_by([text for text in left if text not in equal_durations(left)]):
                _label_column(made, name, left, counts, rows, [*absent, *missing])
                return column, {}, None
        if len(units) > 1:
            made(
                "numeric",
                "numeric",
                "It contains numbers in several units.",
                is_sure=False,
                missing=[*absent, *missing],
                bad={"texts": [*other, *measures][:_NAMED]},
            )
            column["measures"] = (measures, {})
            return column, {text: one for text, one in numbers.items() if text not in measures and text != one}, None
        _number_column(made, name, numbers, counts, other, [*absent, *missing], is_measured=bool(units))
        if units:
            column["unit"] = units[0].text
            column["measures"] = (measures, {text: one for text, one in numbers.items() if text not in measures})
            _measured(column, units[0].dimension is not None, bool(numbers.keys() - measures.keys()))
        return column, {text: number for text, number in numbers.items() if text != number}, None
    dates = dates_of(values if dates_of(_sample(values)).found else [], day_first)
    rest = [text for text in values if text not in dates.found and text.casefold() not in MISSING_AMONG_NUMBERS]
    dated = sum(counts[text] for text in dates.found)
    if dates.found and dated >= MOSTLY * (dated + sum(counts[text] for text in rest)):
        absent += [text for text in values if text not in dates.found and text.casefold() in MISSING_AMONG_NUMBERS]
        _date_column(made, dates, rest, absent)
        return column, {text: iso for text, iso in dates.found.items() if text != iso}, dates
    _label_column(made, name, values, counts, rows, absent)
    if len(numbers) > FEW:
        _tell_half(column["proposed"], many, many + bad, other)
    return column, {}, None


def _tell_half(proposal: dict[str, Any], numbers: int, cells: int, other: list[str]) -> None:
    """Mention in the proposal of a column of categories or texts that at least half of its cells are numbers."""
    if numbers >= 0.5 * cells:
        proposal.update(
            reason=f"{numbers:,} of its {cells:,} cells are numbers, others are not, such as “{other[0][:30]}”. "
            "If it should contain numbers, correct the other cells in the file.",
            is_sure=False,
        )


def _date_column(made: Make, dates: Dates, rest: list[str], absent: list[str]) -> None:
    made(
        "date",
        "date",
        "It contains dates, but nothing shows whether the day or the month comes first. "
        f"They were read with the {'day' if dates.day_first else 'month'} first."
        if dates.is_open
        else "It contains dates.",
        is_sure=not dates.is_open,
        missing=absent,
        short_years=dates.short_years,
        is_open=dates.is_open,
        bad={"texts": rest[:_NAMED]} if rest else None,
    )


def _sample(values: list[str]) -> list[str]:
    """Return a few hundred of many texts, enough to recognise a column of numbers or dates."""
    return values[:: max(1, len(values) // 200)]


def _numbers(values: list[str], style: Style, *, typed: bool) -> dict[str, str]:
    """Return the numbers among `values`; with `typed` also those that Excel stores as numbers itself."""
    if any(CODE.fullmatch(text) for text in values[:5000]):
        return {}  # "007": these are codes
    if not numbers_of(_sample(values), style) and not (typed and any(map(PLAIN.fullmatch, _sample(values)))):
        return {}
    found = numbers_of(values, style)
    if typed and style.decimal == ",":
        found.update(
            {
                text: number
                for text in values
                if PLAIN.fullmatch(text) and (number := number_of(text, Style())) is not None
            }
        )
    return found


def _measures(values: list[str], numbers: Mapping[str, str], style: Style) -> dict[str, Measure]:
    """Return the `values` that are a number with a unit."""
    are_bare = len(numbers) == len(values) and all(text[-1:].isdigit() and text[:1].isdigit() for text in values)
    if are_bare or (not numbers and not measures_of(_sample(values), style)):
        return {}
    return measures_of(values, style)


def _measured(column: dict[str, Any], is_known: bool, some_bare: bool) -> None:
    """Mention in the proposal of a column that its cells contain the unit."""
    proposal, unit = column["proposed"], column["unit"]
    if not is_known:
        proposal.update(reason=f"“{unit}” follows each number and was read as its unit.", is_sure=False)
    elif proposal["is_sure"]:
        proposal.update(reason=f"It contains numbers with the unit {unit}.", is_sure=not some_bare)


def _number_column(
    made: Make,
    name: str,
    numbers: Mapping[str, str],
    counts: Counter[str],
    other: list[str],
    missing: list[str],
    *,
    is_measured: bool = False,
) -> dict[str, Any]:
    kept = counts_by_stored_text({text: counts[text] for text in numbers}, numbers)
    distinct = sorted(float(text) for text in kept)
    whole = all(value.is_integer() for value in distinct)
    if book := code_book(name, kept, has_others=bool(other) or is_measured):
        return made(**book.proposal(missing))
    if (
        not (other or is_measured)
        and kept.keys() <= {"0", "1"}
        and len(kept) == 2
        or not (other or is_measured)
        and set(kept) == {"1", "2"}
        and sum(kept.values()) > 4
    ):
        return made(
            "factor",
            "nominal",
            f"It contains only {' and '.join(sorted(kept))}, usually the codes of two categories.",
            is_sure=False,
            missing=missing,
            levels=sorted(kept),
        )
    if (
        whole
        and len(kept) == sum(kept.values()) > 2
        and _IDENTIFIER.fullmatch(name.strip())
        and not (other or is_measured)
    ):
        return made(
            "text", "text", "Each row has a different number: it looks like an id.", is_sure=False, missing=missing
        )
    reason, is_sure = "It contains numbers.", not other
    if whole and len(distinct) <= 7 and sum(kept.values()) >= 20 and distinct[0] >= 0 and distinct[-1] <= 20:
        reason, is_sure = (
            f"It contains only the numbers {', '.join(f'{value:g}' for value in distinct)}. "
            "If they are codes of categories or steps of a scale, choose that type.",
            False,
        )
    if other:
        reason = "Most of its cells are numbers, some are not."
    return made(
        "numeric",
        "numeric",
        reason,
        is_sure=is_sure,
        missing=missing,
        bad={"texts": other[:_NAMED]} if other else None,
        codes=_codes(kept),
    )


def counts_by_stored_text(counts: Mapping[str, int], kept: Mapping[str, str]) -> Counter[str]:
    """Return `counts` by the stored form of the texts."""
    found: Counter[str] = Counter()
    for text, count in counts.items():
        found[kept.get(text, text)] += count
    return found


def _codes(kept: Counter[str]) -> list[str]:
    """Return the numbers that look like codes for missing values: -99, 999 or 9999 far from all others."""
    values = sorted((float(text), text) for text in kept)
    codes = []
    for value, text in (values[0], values[-1]):
        rest = [one for one, _ in values if one != value]
        is_code = text.lstrip("-") in ("9", "99", "999", "9999", "99999", "88", "888", "77", "777", "99.9", "999.9")
        if (
            is_code
            and len(rest) >= 3
            and (
                (value < 0 <= rest[0] and (text != "-9" or rest[-1] > 9))
                or (value > 0 and text != "9" and value > rest[-1] + max(1.0, rest[-1] - rest[0]))
            )
        ):
            codes.append(text)
    return codes


def _label_column(
    made: Make, name: str, values: list[str], counts: Counter[str], rows: int, absent: list[str]
) -> dict[str, Any]:
    if len(values) > 2 * MOST_LEVELS:
        return _texts(made, len(values), rows, absent)
    merge, labels = _merged(values, counts)
    pairs = two_numbers(labels)
    if len(pairs) >= MOSTLY * len(labels) and are_pressures(pairs):
        return made(
            "text",
            "text",
            f"Each cell contains two numbers, such as “{pairs[0]}”. "
            "Put them in two columns of the file and upload it again.",
            is_sure=False,
            missing=absent,
        )
    if book := code_book(name, {one: counts[one] for one in labels}, has_others=False):
        return made(**book.proposal(absent), merge=merge)
    _merge_lengths(merge, labels)
    low = {text.casefold() for text in labels}
    missing = list(absent)
    if not ("+" in low or "++" in low or "positive" in low):  # otherwise "-" means negative
        missing += [text for text in values if text in ("-", "--", "\u2013", "\u2014", "?", ".")]
        labels = [text for text in labels if text not in missing]
    if not labels:
        return made("text", "text", "It contains no values.", is_sure=False, missing=missing)
    low = {text.casefold() for text in labels}
    if low <= {"true", "false"}:
        return made("logical", "nominal", "It contains only true and false.", missing=missing)
    distinct, longest = len(labels), max(map(len, labels))
    if (order := ordered_by(labels)) and 1 < distinct <= MOST_STEPS:
        return made(
            "ordered",
            "ordinal",
            f"Its values have an order: {', '.join(order[:6])}{' …' if len(order) > 6 else ''}.",
            is_sure=False,
            missing=missing,
            levels=order,
            merge=merge,
        )
    few = (
        distinct <= 2
        or (distinct <= 30 and distinct <= 0.7 * rows)
        or (distinct <= MOST_LEVELS and distinct <= 0.2 * rows)
    )
    if few and longest <= 100 and not (distinct == rows > 2):
        return made(
            "factor",
            "nominal",
            "It contains one value." if distinct == 1 else f"It contains {distinct} different values.",
            missing=missing,
            levels=natural_order(labels),
            merge=merge,
        )
    return _texts(made, distinct, rows, missing)


def _merge_lengths(merge: dict[str, str], labels: list[str]) -> None:
    """Merge durations of equal length: "12 months" is read as "1 year"."""
    for longer, same in equal_durations(labels).items():
        merge.update({text: same for text, best in merge.items() if best == longer})
        merge[longer] = same
        labels.remove(longer)


def _texts(made: Make, distinct: int, rows: int, missing: list[str]) -> dict[str, Any]:
    return made(
        "text",
        "text",
        "Nearly every row has a different text."
        if distinct > 0.7 * rows
        else f"It contains {distinct:,} different texts.",
        missing=missing,
    )


def _merged(values: list[str], counts: Counter[str]) -> tuple[dict[str, str], list[str]]:
    """Return {spelling: the one it is read as} and the remaining labels.

    Spellings are merged into the most frequent one when they differ only in capitals and spaces, or when all values are
    words for yes and no, or for the sexes.
    """
    low = {text.casefold() for text in values} - MISSING_WORDS
    is_sex = low <= SEX_WORDS[0] | SEX_WORDS[1] and len(low) > 1
    is_yes_no = low <= YES | NO and bool(low & YES) and bool(low & NO)
    groups: dict[str, list[str]] = {}
    for text in values:
        alike = " ".join(text.casefold().split())
        if is_yes_no:
            alike = "yes" if alike in YES else "no"
        elif is_sex:
            alike = "m" if alike in SEX_WORDS[0] else "f"
        groups.setdefault(alike, []).append(text)
    merge: dict[str, str] = {}
    labels = []
    for texts in groups.values():
        best = max(texts, key=lambda text: (counts[text], len(text), text))
        labels.append(best)
        merge.update({text: best for text in texts if text != best})
    return merge, labels
