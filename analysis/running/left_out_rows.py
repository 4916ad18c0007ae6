"""A result says which rows its data leave out: in its sentence, below its tables, in its script; errors name rows of the file."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.datasets.left_out import left_out_words, rows_text
from analysis.showing.latex import tex

_ROW = re.compile(r"((?:\bin|:) row )([0-9]{1,6})\b")
_LONGEST = 500  # characters of a line in a script
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


def with_left_out(answer: dict[str, Any], left_out: Sequence[Mapping[str, Any]], data: str = "") -> dict[str, Any]:
    """`answer` of the R service with the rows that were `left_out` ([{rows, reason}]) of `data`; as it is for none."""
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


def with_file_rows(message: str, numbers: Sequence[int]) -> str:
    """A sentence of the R service, which counts the rows that it was sent, with the numbers that they have in the file."""

    def put(found: "re.Match[str]") -> str:
        at = int(found[2])
        return f"{found[1]}{numbers[at - 1]}" if 0 < at <= len(numbers) else found[0]

    return _ROW.sub(put, message)


def _commented(code: str, left_out: Sequence[Mapping[str, Any]], data: str) -> str:
    """The script with the rows that are not in its data, below the comments it begins with."""
    lines = code.split("\n")
    at = next((place for place, line in enumerate(lines) if not line.startswith("#")), len(lines))
    told = [f"# Left out of data.csv{f' ({data})' if data else ''}, by the rows of the uploaded file:"]
    told += [f"#   {rows_text(one['rows'])}: {one['reason']}" for one in left_out]
    safe = [
        line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
        for line in (_UNSEEN.sub(" ", one) for one in told)
    ]
    return "\n".join([*lines[:at], *safe, *lines[at:]])
