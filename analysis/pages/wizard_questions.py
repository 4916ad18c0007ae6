"""The questions of the wizard once data and a kind of question are chosen: the variables, the event of a status, and
whether each row is a different person."""

from typing import Any

from analysis.advice.question_catalogue import EXAMPLES, LEVELS, MEASURED, Question
from analysis.advice.suggest import Alternative
from analysis.datasets.repeated_people import repeats_of
from analysis.datasets.value_labels import label_of_code
from analysis.models import DatasetVersion
from analysis.pages.wizard_answers import CENSORED, COMPETING, Answers, values_in
from analysis.running.row_checks import ROWS_INDEPENDENT, check_rows, row_data_of
from analysis.running.start import columns_named
from core.errors import Refused

NOT_OFFERED = {"text": "free text", "date": "a date"}
OTHER_VALUE_MEANINGS = (
    (CENSORED, "Censored: nothing had happened when they were last seen"),
    (COMPETING, "One of them is another event, after which this event can no longer happen"),
)


def roles_asked(asked: Question, data: DatasetVersion, answers: Answers) -> list[dict[str, Any]]:
    """Return the roles of the question, each with the columns it can take and the chosen ones."""
    rows = []
    for role in asked.roles:
        chosen = answers.chosen.get(role.id, [])
        offered = [
            {**_column(one, data.summary.get(one["id"]) or {}, answers), "chosen": one["id"] in chosen}
            for one in data.columns
            if _can_play(one, role.accepts) or one["id"] in chosen
        ]
        taken = sorted((one for one in offered if one["chosen"]), key=lambda one: chosen.index(one["id"]))
        rows.append({"role": role, "columns": offered, "taken": taken if role.asks_level else [], "there": taken})
    return rows


def _can_play(column: dict[str, Any], accepts: tuple[str, ...]) -> bool:
    """Return whether a column can be offered for a role. Dates never can, free text only if the role accepts it."""
    kind = column.get("type", "")
    return "text" in accepts if kind == "text" else kind != "date"


def _column(column: dict[str, Any], summary: dict[str, Any], answers: Answers) -> dict[str, Any]:
    confirmed = column.get("level_of_measurement") or ""
    level = answers.levels.get(column["id"]) or confirmed
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
    """Return the columns that no analysis accepts, with the reason."""
    return [f"{one['name']} ({NOT_OFFERED[one['type']]})" for one in data.columns if one.get("type") in NOT_OFFERED]


def level_conflicts(data: DatasetVersion, answers: Answers) -> list[dict[str, str]]:
    """Return the variables whose level chosen in the wizard contradicts their type in the data, which R uses."""
    if answers.intent not in ("predict", "survive", "describe", "characteristics"):
        return []
    called = {id: answers.levels[id] for ids in answers.chosen.values() for id in ids if answers.levels.get(id)}
    return [
        {"name": one["name"], "level": LEVELS[called[one["id"]]].lower()}
        for one in data.columns
        if one["id"] in called
        and called[one["id"]] != one.get("level_of_measurement")
        and (called[one["id"]] == "numeric") != (one.get("type") == "numeric")
    ]


def event_asked(data: DatasetVersion, answers: Answers) -> dict[str, Any] | None:
    """Return the values of a status to choose the event from; None if no status is chosen or it has only two values."""
    chosen = answers.chosen.get("event", [])[:1] if answers.intent == "survive" else []
    column = next((one for one in data.columns if one["id"] in chosen), None)
    if column is None or int((data.summary.get(column["id"]) or {}).get("distinct") or 0) <= 2:
        return None
    event = label_of_code(column, answers.event)
    return {
        "values": [(one, one == event) for one in values_in(data, column["id"])],
        "others": [(key, words, key == answers.others) for key, words in OTHER_VALUE_MEANINGS],
    }


def people_asked(data: DatasetVersion, answers: Answers, chosen: Alternative) -> dict[str, Any] | None:
    """Return why the rows are not independent, as the chosen analysis needs them; None if there is no such problem."""
    ids = columns_named(dict(chosen.params))
    try:
        check_rows(chosen.analysis, chosen.params, ids, row_data_of(data), {**answers.said, ROWS_INDEPENDENT: False})
    except Refused as refused:
        if refused.field == ROWS_INDEPENDENT:
            return {"message": refused.message, "is_said": answers.said.get(ROWS_INDEPENDENT, False)}
    return None


def words_asked(answers: Answers) -> dict[str, str]:
    """Return the messages about the words of the question.

    These are: that no analysis here answers it; or what is unclear; or, if the user chose a kind of question
    nevertheless, that it answers another question (`beside`).
    """
    found = answers.understood
    if answers.asked:
        return {"beside": mismatch_note(answers)}
    if not found.absent:
        return {"asks": found.message}
    says, _, more = found.message.partition(". ")
    return {"absent": f"{says}.", "absent_more": more}


def mismatch_note(answers: Answers) -> str:
    """Return a note if the words ask for an analysis that Scholium does not have and the user chose another one."""
    found = answers.understood
    if not found.absent or answers.asked is None:
        return ""
    return (
        f"The question in words asks for {found.absent[0].asks}. "
        f"This analysis answers another question: {answers.asked.title}"
    )


def repeats_sentence(data: DatasetVersion) -> str:
    """Return a sentence on how many people have more than one row in `data`; "" if nobody has."""
    found = repeats_of(data)
    return found.sentence if found else ""
