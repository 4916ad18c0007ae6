"""What the wizard asks of the rows themselves: which value of a status is the event, and whether each row is another person."""

from typing import Any

from analysis.advice.suggest import Alternative
from analysis.datasets.labels import shown
from analysis.datasets.repeats import repeats_of
from analysis.pages.answers import CENSORED, COMPETING, Answers, values_in
from analysis.running.rows import ROWS_INDEPENDENT, check_rows, rows_of
from analysis.running.start import columns_named
from core.errors import Refused

OTHERS = (
    (CENSORED, "Censored: nothing had happened when they were last seen"),
    (COMPETING, "One of them is another event, after which this one cannot happen any more"),
)


def event_asked(answers: Answers) -> dict[str, Any] | None:
    """The values of a status that has more than two, to choose the event from; None where it has two or is not chosen."""
    chosen = answers.chosen.get("event", [])
    known = {one["id"] for one in answers.data.columns} if answers.data else set()
    if answers.data is None or answers.intent != "survive" or not chosen or chosen[0] not in known:
        return None
    if int((answers.data.summary.get(chosen[0]) or {}).get("distinct") or 0) <= 2:
        return None
    column = next(one for one in answers.data.columns if one["id"] == chosen[0])
    event = shown(column, answers.event)
    return {
        "values": [(one, one == event) for one in values_in(answers.data, chosen[0])],
        "others": [(key, words, key == answers.others) for key, words in OTHERS],
    }


def people_asked(answers: Answers, chosen: Alternative) -> dict[str, Any] | None:
    """Why the chosen analysis needs rows that are independent; None where each person has one row, or it only describes."""
    if answers.data is None:
        return None
    ids = columns_named(dict(chosen.params))
    try:
        check_rows(
            chosen.analysis, chosen.params, ids, rows_of(answers.data), {**answers.said, ROWS_INDEPENDENT: False}
        )
    except Refused as refused:
        if refused.field == ROWS_INDEPENDENT:
            return {"message": refused.message, "is_said": answers.said.get(ROWS_INDEPENDENT, False)}
    return None


def words_asked(answers: Answers) -> dict[str, str]:
    """What is said of the question's words: that nothing here answers it, or what has to be asked back; once a kind of
    question was chosen by hand all the same, that this answers another question (`beside`)."""
    found = answers.understood
    if not found.message:
        return {}
    if answers.asked is None:
        if not found.absent:
            return {"asks": found.message}
        says, _, more = found.message.partition(". ")
        return {"absent": f"{says}.", "absent_more": more}
    return {"beside": beside(answers)} if beside(answers) else {}


def beside(answers: Answers) -> str:
    """A note for an analysis that was chosen though the words ask for something else that is not here."""
    found = answers.understood
    if not found.absent or answers.asked is None:
        return ""
    return f"The question in words asks for {found.absent[0].asks}. This analysis answers another one: {answers.asked.title}"


def several_rows(answers: Answers) -> str:
    """How many people have more than one row in the chosen data; "" where nobody has."""
    found = repeats_of(answers.data) if answers.data else None
    return found.sentence if found else ""
