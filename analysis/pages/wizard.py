"""The wizard that leads from a question in words to an analysis, as one page with one form (SPEC N4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from analysis.access import hide_version_cells
from analysis.advice.question_catalogue import ANALYSIS_NAMES, QUESTIONS
from analysis.advice.question_rules import SAMPLE_SIZE
from analysis.advice.suggest import Alternative, Suggestion
from analysis.datasets.level_codes import VALUE_OF
from analysis.datasets.value_labels import codes_of, label_named
from analysis.models import Analysis, Dataset, DatasetVersion
from analysis.pages.options_form import (
    PREFIX,
    OptionField,
    as_typed,
    catalogue_entry_of,
    fields_hash,
    fields_of,
    option_schema,
    read_fields,
)
from analysis.pages.sidebar import find_row, page_context
from analysis.pages.wizard_answers import (
    Answers,
    answers_in,
    answers_of,
    is_coded,
    ready_versions,
    suggestion_for,
    values_in,
)
from analysis.pages.wizard_questions import (
    event_asked,
    left_out,
    level_conflicts,
    mismatch_note,
    people_asked,
    repeats_sentence,
    roles_asked,
    words_asked,
)
from analysis.r_client.errors import EngineError
from analysis.running.rerun import params_for_version
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.signed_in_request import PersonRequest

CONFIDENCE = ((0.9, "90 %"), (0.95, "95 %"), (0.99, "99 %"))


@dataclass(frozen=True)
class _WizardRequest:
    """A request to the wizard, with the data to choose from and the answers so far."""

    request: PersonRequest
    project: Project
    versions: list[DatasetVersion]
    answers: Answers
    again: Analysis | None

    @property
    def sent(self) -> QueryDict | None:
        """Return the submitted form; None if the page was only opened."""
        return self.request.POST if self.request.method == "POST" else None


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def wizard(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the wizard with what follows from the answers, or start the analysis (do=run) and go to its page.

    `?dataset=` chooses data, `?question=` and `?intent=` the question; `?again=` fills in an earlier analysis.
    """
    project = get_project(request.user, project_id)
    again = earlier_analysis(request, project)
    if again and again.kind == Analysis.Kind.SAMPLE_SIZE:
        return redirect(f"{reverse('analysis:sample_size', args=[project.pk])}?again={again.pk}")
    versions = [hide_version_cells(one, project) for one in ready_versions(project)]
    if request.method != "POST":
        answers, said = _first_answers(request.GET, versions, again)
        return _page(_WizardRequest(request, project, versions, answers, again), said=said)
    get_project(request.user, project_id, "write")
    asking = _WizardRequest(request, project, versions, answers_in(request.POST, versions), again)
    return _run(asking) if request.POST.get("do") == "run" else _page(asking)


def earlier_analysis(request: PersonRequest, project: Project) -> Analysis | None:
    """Return the analysis that ?again= names, else None. Raises Http404 if it belongs to another thesis."""
    return find_row(
        request,
        Analysis.objects.filter(project=project).select_related("data__dataset"),
        (request.POST or request.GET).get("again", ""),
    )


def _first_answers(asked: QueryDict, versions: list[DatasetVersion], again: Analysis | None) -> tuple[Answers, str]:
    """Return the answers when the page is opened, and a sentence about what differs from the earlier analysis."""
    if again is None:
        answers = answers_in(asked, versions)
        named = (one for one in versions if str(one.dataset_id) == asked.get("dataset", ""))
        answers.data = next(named, answers.data)
        return answers, ""
    answers, said = _earlier_answers(versions, again)
    answers.analysis = asked.get("analysis", "") or answers.analysis  # what R or the result recommended instead
    return answers, said


def _earlier_answers(versions: list[DatasetVersion], again: Analysis) -> tuple[Answers, str]:
    before = again.data
    data = next((one for one in versions if before and one.dataset_id == before.dataset_id), None)
    if before is None or data is None:
        gone = "The data of this analysis no longer exists. Choose other data."
        return answers_of(again, again.params, None), gone if again.request else ""
    try:
        params = params_for_version(again.params, before, data) if data != before else again.params
    except Refused as refused:
        return answers_of(again, again.params, data), refused.message
    newer = f"It now runs on version {data.number} instead of version {before.number}." if data != before else ""
    return answers_of(again, params, data), newer


def _run(asking: _WizardRequest) -> HttpResponse:
    """Start the chosen analysis and go to its page; if it is refused, show the page with the reason and all answers."""
    answers, again = asking.answers, asking.again
    try:
        suggestion = suggestion_for(answers)
        chosen = chosen_of(answers, suggestion, again)
        fields = _options(answers, suggestion, chosen)
        options = read_fields(fields, asking.request.POST)
        if any(one.wrong for one in fields):
            return _page(asking, fields=fields, status=422)
        options |= _event_option(answers, chosen)
        params = {name: value for name, value in chosen.params.items() if name != "options"}
        asked = AnalysisRequest(
            name=chosen.analysis,
            data=answers.data,
            params=params | ({"options": options} if options else {}),
            title=_title(answers),
            why=_why(answers, suggestion),
            conf_level=answers.conf_level,
            alpha=again.request.get("alpha", 0.05) if again else 0.05,
            again_of=again,
        )
        started = start_analysis(asking.project, asking.request.user, asked)
    except Refused as refused:
        return _page(asking, refused=refused, status=refused.status)
    except EngineError:
        return _page(asking, status=503)
    return redirect("analysis:result", asking.project.pk, started.pk)


def _title(answers: Answers) -> str:
    """Return the title: the question in words, or the kind of question if the words ask for something else.

    With "" the analysis is named after its method.
    """
    return answers.asked.title if answers.asked and mismatch_note(answers) else answers.question


def _event_option(answers: Answers, chosen: Alternative) -> dict[str, Any]:
    """Return the options that step 3 already asks for: which of several values is the event."""
    given = chosen.params.get("options") or {}
    return {"event_value": given["event_value"]} if answers.event and "event_value" in given else {}


def _why(answers: Answers, suggestion: Suggestion) -> dict[str, Any]:
    """Return what is saved with the analysis: the answers, the suggestion and its reason."""
    return {
        "question": answers.question,
        "intent": answers.intent,
        "roles": answers.chosen,
        "levels": answers.levels,
        "suggested": suggestion.analysis,
        "reason": suggestion.reason,
        "would_change": list(suggestion.would_change),
        **({"said": answers.said} if answers.said else {}),
        **({"beside": mismatch_note(answers)} if mismatch_note(answers) else {}),
    }


def chosen_of(answers: Answers, suggestion: Suggestion, again: Analysis | None = None) -> Alternative:
    """Return the analysis to run: the chosen one if it still fits these variables, else the suggested one.

    An earlier analysis that runs `again` stays available with its params, even if the advice does not name it.
    """
    choices = choices_of(suggestion, again)
    return next((one for one in choices if one.analysis == answers.analysis), choices[0])


def choices_of(suggestion: Suggestion, again: Analysis | None) -> list[Alternative]:
    """Return the analyses that can be chosen, the suggested one first."""
    found = [Alternative(suggestion.analysis, suggestion.reason, suggestion.params), *suggestion.alternatives]
    is_another = (
        again and again.name in ANALYSIS_NAMES and again.name not in {one.analysis for one in found} and again.data
    )
    if again and is_another and _columns_in(again.params) == _columns_in(suggestion.params):
        found.append(Alternative(again.name, "As before.", again.params))
    return found


def _columns_in(params: Any) -> set[str]:
    values = (value for name, value in params.items() if name != "options")
    return {id for value in values for id in (value if isinstance(value, list) else [value])}


def _options(answers: Answers, suggestion: Suggestion, chosen: Alternative) -> list[OptionField]:
    """Return the option fields of the chosen analysis, with the values of the advice or of the earlier analysis.

    Raises EngineError when R does not answer.
    """
    schemas = option_schema(catalogue_entry_of("analyses", chosen.analysis))
    schemas = {name: one for name, one in schemas.items() if name not in _event_option(answers, chosen)}
    given = {**(chosen.params.get("options") or {}), **(answers.options if answers.analysis == chosen.analysis else {})}
    values: dict[str, list[str]] = {}
    required: list[str] = []
    for name in schemas.keys() & VALUE_OF.keys():
        column = next((chosen.params[param] for param in VALUE_OF[name] if param in chosen.params), None)
        if answers.data and isinstance(column, str):
            values[name] = values_in(answers.data, column)
            described = next(one for one in answers.data.columns if one["id"] == column)
            if given.get(name):
                given[name] = label_named(described, str(given[name]))
            if values[name] and not is_coded(codes_of(described) or values[name]):
                required.append(name)
    ids = _columns_in(chosen.params) - {chosen.params.get("group")}
    among = [
        (one["id"], one["name"], one.get("type", ""))
        for one in (answers.data.columns if answers.data else [])
        if one["id"] in ids or "study" in chosen.params  # a meta-analysis may also use other columns, as subgroups
    ]
    return fields_of(schemas, given, values=values, columns=among, required=required)


def _page(
    asking: _WizardRequest,
    *,
    fields: list[OptionField] | None = None,
    refused: Refused | None = None,
    said: str = "",
    status: int = 200,
) -> HttpResponse:
    project, answers = asking.project, asking.answers
    context: dict[str, Any] = {
        **page_context(project),
        "again": asking.again,
        "said": said,
        "refused": refused,
        "answers": answers,
        "is_sample_size": answers.recognised == SAMPLE_SIZE and answers.intent not in QUESTIONS,
        "kinds": _kinds(answers),
        **words_asked(answers),
        "versions": asking.versions,
        # Datasets without a confirmed version.
        "others": Dataset.objects.filter(project=project).exclude(pk__in=[one.dataset_id for one in asking.versions]),
        "confidence": _confidence(answers.conf_level),
    }
    if answers.asked and answers.data:
        context |= {
            "roles": roles_asked(answers.asked, answers.data, answers),
            "left_out": left_out(answers.data),
            "event": event_asked(answers.data, answers),
            "several_rows": repeats_sentence(answers.data),
            **_advice(asking, answers.data, fields),
        }
    request = asking.request
    return render(request, f"analysis/wizard.html{'#rest' if request.htmx else ''}", context, status=status)


def _advice(asking: _WizardRequest, data: DatasetVersion, fields: list[OptionField] | None) -> dict[str, Any]:
    """Return the context of the suggestion and its options; or what is missing; or the error if R does not answer."""
    answers, sent, again = asking.answers, asking.sent, asking.again
    try:
        suggestion = suggestion_for(answers)
    except Refused as missing:
        no_time = missing.field == "time" and not any(one.get("type") == "numeric" for one in data.columns)
        return {"missing": missing, "is_begun": bool(answers.chosen) or no_time}
    chosen = chosen_of(answers, suggestion, again)
    found: dict[str, Any] = {
        "suggestion": suggestion,
        "choices": [(one, one.analysis == chosen.analysis) for one in choices_of(suggestion, again)],
        "chosen": chosen,
        "of_other_type": level_conflicts(data, answers),
        "people": people_asked(data, answers, chosen),
    }
    try:
        if fields is None:
            fields = _options(answers, suggestion, chosen)
            # Options that were typed for another analysis are not used.
            if sent is not None and sent.get("options_of") == chosen.analysis:
                read_fields(fields, sent)
                for one in fields:
                    one.wrong = ""
        found |= {"fields": fields, "fields_key": f"{chosen.analysis}-{fields_hash(fields)}"}
    except EngineError as trouble:
        found |= {"trouble": trouble, "kept": _hidden_fields(answers, sent, chosen)}
    return found


def _hidden_fields(answers: Answers, sent: QueryDict | None, chosen: Alternative) -> list[tuple[str, str]]:
    """Return hidden fields that keep the options while R does not answer and they cannot be shown."""
    level = ("conf_level", f"{answers.conf_level:g}")
    if sent is None:
        return [level, ("options_of", chosen.analysis), *_as_sent(answers.options)] if answers.options else [level]
    return [
        level,
        *((name, value) for name in sent if name.startswith(PREFIX) for value in sent.getlist(name)),
        ("options_of", sent.get("options_of", "")),
    ]


def _as_sent(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return options as their form fields would send them."""
    return [
        (f"{PREFIX}{name}", as_typed(one))
        for name, value in options.items()
        for one in (value if isinstance(value, list) and value and isinstance(value[0], str) else [value])
        if one is not False
    ]


def _kinds(answers: Answers) -> list[dict[str, Any]]:
    """Return the kinds of questions by heading, with the chosen one and the one recognised from the words."""
    rows: list[dict[str, Any]] = [
        {"question": one, "chosen": one.id == answers.intent, "recognised": one.id == answers.recognised}
        for one in QUESTIONS.values()
    ]
    return [{"title": title, "rows": list(of_it)} for title, of_it in groupby(rows, lambda row: row["question"].kind)]


def _confidence(level: float) -> list[tuple[str, str, bool]]:
    known = CONFIDENCE if level in {one for one, _ in CONFIDENCE} else (*CONFIDENCE, (level, f"{100 * level:g} %"))
    return [(f"{value:g}", words, value == level) for value, words in known]
