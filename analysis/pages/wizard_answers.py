"""The answers of the wizard, read from its form or from an earlier analysis, and the advice that follows from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict

from analysis.advice.classify_question import Classification, classify_question
from analysis.advice.data_facts import counts_something, facts_of, is_count
from analysis.advice.question_catalogue import LEVELS, QUESTIONS, Question
from analysis.advice.question_rules import SAMPLE_SIZE
from analysis.advice.suggest import Facts, Suggestion, Variable, check_question, suggest
from analysis.datasets.export import columns_for, text_of
from analysis.datasets.value_labels import code_named
from analysis.models import Analysis, DatasetVersion
from analysis.running.row_checks import OTHERS_CENSORED, ROWS_INDEPENDENT
from analysis.running.titles import custom_title
from projects.models import Project

MOST_READ = 8  # columns whose values are read for the advice
MOST_VALUES = 50  # values of a column that a select offers
LONGEST = 300  # characters of a question
CENSORED, COMPETING = "censored", "competing"  # what the values of a status other than the event may mean
KNOWN_CODINGS = ({"0", "1"}, {"1", "2"}, {"false", "true"})  # codings of events that R knows


@dataclass
class Answers:
    """The answers so far. `chosen` are column ids by role, `levels` the level of measurement by column id.

    `recognised` is the kind of question recognised from the words; `intent` is the one that counts, and stays when the
    user chose it by hand. `said` are statements about the rows (analysis.running.row_checks). `event` is the value of a
    status that is the event, `others` what its other values mean.
    """

    question: str = ""
    intent: str = ""
    recognised: str = ""
    data: DatasetVersion | None = None
    chosen: dict[str, list[str]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    analysis: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    conf_level: float = 0.95
    alpha: float = 0.05
    said: dict[str, bool] = field(default_factory=dict)
    event: str = ""
    others: str = ""

    @property
    def understood(self) -> Classification:
        """Return what was recognised in the words of the question."""
        return classify_question(self.question)

    @property
    def asked(self) -> Question | None:
        """Return the chosen kind of question, None if there is none yet."""
        return QUESTIONS.get(self.intent)


def ready_versions(project: Project) -> list[DatasetVersion]:
    """Return the newest confirmed version of each dataset of `project`."""
    rows = (
        DatasetVersion.objects.filter(dataset__project=project, state=DatasetVersion.State.READY)
        .select_related("dataset")
        .order_by("dataset__created_at", "number")
    )
    return list({row.dataset_id: row for row in rows}.values())


def answers_in(data: QueryDict, versions: Sequence[DatasetVersion]) -> Answers:
    """Return the answers in a submitted form."""
    question = " ".join(data.get("question", "").split())[:LONGEST]
    recognised = classify_question(question).intent or ""
    intent = chosen_intent(data.get("intent", ""), data.get("recognised", ""), recognised)
    if classify_question(question).message and intent == data.get("recognised", ""):
        intent = ""  # it was recognised from earlier words; the words now ask for something else
    roles = QUESTIONS[intent].roles if intent in QUESTIONS else ()
    sent = {role.id: dict.fromkeys(data.getlist(f"v.{role.id}")) for role in roles}
    only = versions[0] if "data" not in data and len(versions) == 1 else None  # the only choice
    analysis = data.get("analysis", "")
    others = data.get("e.others", "")
    said = {ROWS_INDEPENDENT: bool(data.get("s.rows_independent")), OTHERS_CENSORED: others == CENSORED}
    return Answers(
        question=question,
        intent=intent,
        recognised=recognised,
        data=only or next((one for one in versions if str(one.pk) == data.get("data")), None),
        chosen={role: named for role, ids in sent.items() if (named := [id for id in ids if id])},
        levels={name[2:]: level for name in data if name.startswith("l.") and (level := data.get(name, "")) in LEVELS},
        # A user who had the suggested analysis selected gets the one that is suggested now.
        analysis="" if analysis == data.get("suggested") else analysis,
        conf_level=_confidence(data.get("conf_level", "")),
        said={name: True for name, is_so in said.items() if is_so},
        event=data.get("e.value", ""),
        others=others,
    )


def chosen_intent(sent: str, before: str, now: str) -> str:
    """Return the kind of question: the one chosen by hand, else the one recognised from the words.

    `before` was recognised when the form was shown, `now` is recognised now. A choice that differs from `before` was
    made by hand.
    """
    by_hand = sent in QUESTIONS and sent != before
    return sent if by_hand or not now else now


def _confidence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.95
    return value if 0.5 <= value <= 0.9999 else 0.95


# The wizard's question and the role of each param, for an analysis that was not started in the wizard.
_QUESTION_OF_ANALYSIS: dict[str, tuple[str, dict[str, str]]] = {
    "descriptive": ("describe", {"columns": "columns"}),
    "table1": ("characteristics", {"columns": "columns", "group": "group"}),
    "normality": ("normal", {"columns": "columns"}),
    **{
        name: ("differ", {"outcome": "outcome", "group": "group"})
        for name in ("t_test", "mann_whitney", "anova", "kruskal")
    },
    **{name: ("differ", {"column": "outcome", "row": "group"}) for name in ("chi_square", "fisher")},
    **{name: ("paired", {"first": "measures", "second": "measures"}) for name in ("paired_t", "wilcoxon")},
    "mcnemar": ("paired", {"row": "measures", "column": "measures"}),
    "friedman": ("paired", {"columns": "measures"}),
    "one_sample_t": ("known", {"outcome": "outcome"}),
    "chi_square_gof": ("known", {"column": "outcome"}),
    "correlation": ("relate", {"x": "x", "y": "y"}),
    **{name: ("predict", {"outcome": "outcome", "predictors": "predictors"}) for name in ("linear", "logistic")},
    "cox": ("survive", {"time": "time", "event": "event", "predictors": "by"}),
    "kaplan_meier": ("survive", {"time": "time", "event": "event", "group": "by"}),
    "roc": ("detect", {"score": "test", "outcome": "reference"}),
    "diagnostic": ("detect", {"test": "test", "reference": "reference"}),
    **{name: ("raters", {"raters": "raters"}) for name in ("kappa", "icc")},
    "bland_altman": ("methods", {"first": "first", "second": "second"}),
}


def answers_of(analysis: Analysis, params: Mapping[str, Any], data: DatasetVersion | None) -> Answers:
    """Return the answers that lead to `analysis` again: the saved ones, or answers derived from its `params`.

    `params` must use the column ids of `data`.
    """
    why = analysis.why or {}
    intent, roles = why.get("intent", ""), _QUESTION_OF_ANALYSIS.get(analysis.name, ("", {}))[1]
    if intent not in QUESTIONS:
        intent = _QUESTION_OF_ANALYSIS[analysis.name][0] if analysis.name in _QUESTION_OF_ANALYSIS else _pooled(params)
    asked = QUESTIONS.get(intent)
    chosen: dict[str, list[str]] = {}
    if asked and why.get("roles"):
        chosen = {role: list(why["roles"].get(role, [])) for role in [one.id for one in asked.roles]}
    elif asked:
        for name, value in params.items():
            role = roles.get(name, name)
            if role in {one.id for one in asked.roles}:
                chosen.setdefault(role, []).extend(value if isinstance(value, list) else [value])
    if analysis.data and data and analysis.data != data and why.get("roles"):
        chosen = _in_version(chosen, analysis.data, data)
    options = params.get("options")
    return Answers(
        question=custom_title(analysis),
        intent=intent,
        recognised=classify_question(analysis.title).intent or "",
        data=data,
        chosen={role: ids for role, ids in chosen.items() if ids},
        levels=dict(why.get("levels", {})) if analysis.data == data else {},
        analysis=analysis.name,
        options=options if isinstance(options, dict) else {},
        conf_level=analysis.request.get("conf_level", 0.95),
        alpha=analysis.request.get("alpha", 0.05),
        said={name: True for name, is_so in (why.get("said") or {}).items() if is_so is True},
        event=str((options if isinstance(options, dict) else {}).get("event_value") or ""),
        others=CENSORED if (why.get("said") or {}).get(OTHERS_CENSORED) else "",
    )


def _pooled(params: Mapping[str, Any]) -> str:
    return "pool_counts" if "events_1" in params else "pool_means" if "mean_1" in params else "pool_estimates"


def _in_version(chosen: dict[str, list[str]], before: DatasetVersion, after: DatasetVersion) -> dict[str, list[str]]:
    """Return the chosen columns with their ids in another version, found by name; missing ones are left out."""
    names = {column["id"]: column["name"] for column in before.columns}
    place = {column["name"]: column["id"] for column in reversed(after.columns)}  # the first of two with the same name
    return {role: [place[names[id]] for id in ids if names.get(id) in place] for role, ids in chosen.items()}


def variables_of(answers: Answers) -> list[Variable]:
    """Return the chosen columns as variables for the advice.

    The level of measurement is the one chosen in the wizard, else the one confirmed with the data.
    """
    if answers.data is None:
        return []
    columns = {column["id"]: column for column in answers.data.columns}
    return [
        Variable(
            id,
            role,
            answers.levels.get(id) or columns[id].get("level_of_measurement") or "",
            int((answers.data.summary.get(id) or {}).get("distinct") or 0),
            columns[id].get("label") or columns[id]["name"],
            as_number=columns[id].get("type") == "numeric",
        )
        for role, ids in answers.chosen.items()
        for id in ids
        if id in columns
    ]


def suggestion_for(answers: Answers) -> Suggestion:
    """Return the suggested analysis for these answers. Raises Refused if an answer is missing, or no analysis fits."""
    variables, question = variables_of(answers), answers.intent or answers.question
    check_question(question, variables)
    return suggest(question, variables, facts_for(answers, variables))


def facts_for(answers: Answers, variables: Sequence[Variable]) -> Facts:
    """Return the facts about the values that the advice depends on; with many columns only the most important ones."""
    ids = list(dict.fromkeys(one.id for one in variables))
    if answers.data is None or len(ids) < 2 or answers.intent in ("describe", "normal", SAMPLE_SIZE):
        return Facts()
    special = [one for one in variables if one.role == "outcome" or (one.role == "event" and one.groups > 2)]
    looked = variables if len(ids) <= MOST_READ else special
    wanted = [one.id for one in looked]  # codes are enough: labels change no fact
    values = {one["id"]: one["values"] for one in columns_for(answers.data, wanted, coded=wanted)}
    found = facts_of(variables, values) if looked is variables else Facts()
    for one in special:
        if one.role == "event":
            event = code_named(next(each for each in answers.data.columns if each["id"] == one.id), answers.event)
            known = tuple(sorted({text_of(value) for value in values[one.id] if value is not None})[:MOST_VALUES])
            rows = [row for row in zip(*values.values(), strict=True) if None not in row]
            at = list(values).index(one.id)
            events = sum(text_of(row[at]) == event for row in rows) if looked is variables else None
            found = replace(found, event_values=known, event=event, others=answers.others, events=events)
        else:
            is_said = answers.understood.signals.count or counts_something(one.name)
            found = replace(found, is_count=is_count(values[one.id], is_said=is_said))
    return found


def values_in(data: DatasetVersion, id: str) -> list[str]:
    """Return the values of a column as R compares them with an option, in their order; none if there are too many."""
    column = columns_for(data, [id])[0]
    found = column["levels"] or sorted({text_of(value) for value in column["values"] if value is not None})
    return [str(one) for one in found] if len(found) <= MOST_VALUES else []


def is_coded(values: Sequence[str]) -> bool:
    """Return whether R knows which of two values is the event: 0 and 1, 1 and 2, true and false."""
    found = {one.lower() for one in values}
    return any(found <= coding for coding in KNOWN_CODINGS)
