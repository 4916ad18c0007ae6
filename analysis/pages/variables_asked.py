"""The variables of a question as the wizard asks for them: what each part takes, and what was chosen."""

from typing import Any

from analysis.advice.questions import EXAMPLES, LEVELS, MEASURED
from analysis.models import DatasetVersion
from analysis.pages.answers import Answers

NOT_OFFERED = {"text": "free text", "date": "a date"}


def roles_asked(answers: Answers) -> list[dict[str, Any]]:
    """The parts of the question with the columns each can be, and for what is chosen what it is."""
    assert answers.asked is not None
    assert answers.data is not None
    rows = []
    for role in answers.asked.roles:
        chosen = answers.chosen.get(role.id, [])
        offered = [
            _column(one, answers) for one in answers.data.columns if _can_play(one, role.accepts) or one["id"] in chosen
        ]
        for one in offered:
            one["chosen"] = one["id"] in chosen
        taken = sorted((one for one in offered if one["chosen"]), key=lambda one: chosen.index(one["id"]))
        rows.append({"role": role, "columns": offered, "taken": taken if role.asks_level else [], "there": taken})
    return rows


def _can_play(column: dict[str, Any], accepts: tuple[str, ...]) -> bool:
    """Whether a column can be offered at all: dates and free text only where they are wanted."""
    kind = column.get("type", "")
    return "text" in accepts if kind == "text" else kind != "date"


def _column(column: dict[str, Any], answers: Answers) -> dict[str, Any]:
    assert answers.data is not None
    confirmed = column.get("level_of_measurement") or ""
    level = answers.levels.get(column["id"]) or confirmed
    summary = answers.data.summary.get(column["id"]) or {}
    return {
        "id": column["id"],
        "name": column["name"],
        "level": level,
        "levels": [(key, f"{LEVELS[key]} ({EXAMPLES[key]})", key == level) for key in MEASURED],
        "is_confirmed": bool(confirmed) and level == confirmed,
        "said": summary.get("said", ""),
        "personal": bool(column.get("personal")),
    }


def left_out(data: DatasetVersion) -> list[str]:
    """Columns that no analysis takes, with the reason."""
    return [f"{one['name']} ({NOT_OFFERED[one['type']]})" for one in data.columns if one.get("type") in NOT_OFFERED]


def of_other_type(answers: Answers) -> list[dict[str, str]]:
    """Variables that were called something here which their type in the data is not: R goes by the type."""
    if answers.data is None:
        return []
    named = {id for ids in answers.chosen.values() for id in ids}
    found = []
    for one in answers.data.columns:
        level = answers.levels.get(one["id"], "")
        if one["id"] not in named or not level or level == one.get("level_of_measurement"):
            continue
        if (level == "numeric") != (one.get("type") == "numeric") and answers.intent in (
            "predict",
            "survive",
            "describe",
            "characteristics",
        ):
            found.append({"name": one["name"], "level": LEVELS[level].lower()})
    return found
