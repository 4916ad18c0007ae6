"""The page that lists the runs of a thesis and starts a new one: question, profile, files, budget and cost estimate."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from citations.styles.formatting import search_styles
from contextfiles.upload import upload_limits
from core.errors import Refused
from core.uuids import uuid_in
from projects.access import get_project, may, may_open_data
from projects.models import Project
from research.models import Run
from research.setup.budget import Budget, money
from research.setup.cost_estimate import Costs, costs_of, default_budget, services_used_by, sizes_of
from research.setup.forms import LIMITS, ChoicesForm, SaveForm, StartForm, initial_from_run
from research.setup.profile_registry import (
    Profiles,
    default_profile_of,
    known_profiles,
    make_profile,
    save_profile,
)
from research.setup.profiles import BUILT_IN, ResearchProfile, with_keys
from research.setup.start import RunRequest, start_run


@require_safe
def list_runs(request: HttpRequest, project_id: UUID) -> HttpResponse:
    """Show the runs of a thesis and the form for a new one; with ?part=, only the part that a choice in it changes."""
    project = get_project(request.user, project_id)
    part = request.GET.get("part")
    if part:
        return _part(request, project, part)
    known = known_profiles(request.user)  # type: ignore[arg-type]
    asked = request.GET.get("question", "")
    if not asked and not Run.objects.filter(project=project).exists():
        asked = project.question  # the thesis's own question is the natural first one
    wanted = request.GET.get("profile", "")
    initial: dict[str, Any] = {
        "profile": wanted if known.get(wanted) else default_profile_of(project),
        "question": asked,
    }
    chosen: Iterable[str] = map(str, project.context_files.values_list("pk", flat=True))
    changed: dict[str, Any] = {}
    before = uuid_in(request.GET.get("again", ""))
    if before and (run := Run.objects.filter(project=project, pk=before).first()):
        typed, changed, chosen = initial_from_run(run, known)
        initial |= typed
    form = _form(known, initial=initial)
    return _list_page(
        request, project, form, ChoicesForm(of=_shown_profile(form, known), changed=changed), chosen=chosen
    )


def _form(known: Profiles, data: QueryDict | None = None, initial: Mapping[str, Any] | None = None) -> StartForm:
    """Return the form, with the default budget filled in if a run can cost money."""
    reaches = [services_used_by(profile) for profile in BUILT_IN.values()]
    usd = default_budget(next((reach for reach in reaches if reach.model), reaches[0]))
    first = {} if usd is None else {"budget": money(usd)}
    return StartForm(
        data,
        initial={**first, **(initial or {})},
        known=known,
        has_budget=any(reach.has_budget for reach in reaches),
    )


def _part(request: HttpRequest, project: Project, part: str) -> HttpResponse:
    """Show one part of the form: ?part=reach for where data is sent and what a run costs, ?part=choices for the options
    of the chosen profile, or ?part=styles for citation styles that match what was typed.
    """
    if part == "styles":
        typed = request.GET.get("citation_style", "")
        return render(request, "research/list.html#styles", {"styles": search_styles(typed, at_most=30)})
    known = known_profiles(request.user)  # type: ignore[arg-type]
    profile = known.get(request.GET.get("profile", ""))
    if profile is None or part not in ("reach", "choices"):
        raise Http404("?part= must be reach, choices or styles, and ?profile= the name of a profile.")
    try:
        choices = _choices(request.GET, known)
    except Refused:
        choices = None  # they were for a profile that was deleted, so it is unknown what was changed
    changed = choices is not None and choices.is_valid()
    if part == "choices":
        shown = ChoicesForm(of=profile, changed=choices.changes() if choices and changed else None)
        return render(request, "research/list.html#choices", {"choices": shown, "project": project})
    if choices and changed:
        profile = _changed(profile, choices)
    costs = _costs(project, profile, _form(known, request.GET), request.GET.getlist("files"))
    return render(request, "research/list.html#reach", {"reach": services_used_by(profile), "costs": costs})


def _costs(project: Project, profile: ResearchProfile, form: StartForm, chosen: Iterable[str]) -> Costs:
    """Return what a run of `profile` may cost, with the limits in the form and the chosen files (ids)."""
    names = [name for name in LIMITS if name != "budget_minutes" and name in form.fields]
    try:
        typed = {LIMITS[name]: form.fields[name].clean(form[name].value()) for name in names}
        ids = [known for known in map(uuid_in, chosen) if known]
        return costs_of(profile, sizes_of(project, ids), Budget(**{"usd": None, **typed}))
    except (ValidationError, Refused) as error:
        said = error.message if isinstance(error, Refused) else " ".join(error.messages)
        return Costs(profile.name, None, None, "", said)


def _changed(profile: ResearchProfile, choices: ChoicesForm) -> ResearchProfile:
    """Return `profile` with `choices` applied; unchanged if they are not compatible with it."""
    try:
        return with_keys(profile, choices.overrides())
    except Refused:
        return profile


def _choices(data: QueryDict, known: Profiles) -> ChoicesForm | None:
    """Return the submitted choices, if any. Raises Refused if the profile that they belong to was deleted."""
    if not (name := data.get("choices_of", "")):
        return None
    if (profile := known.get(name)) is None:
        raise Refused(f"The profile “{name}” no longer exists. Check the options again.", field="profile")
    return ChoicesForm(data, of=profile)


@require_POST
def start(request: HttpRequest, project_id: UUID) -> HttpResponse:
    """Start a run and go to its page; or, with do=save, save the choices as a profile and show the form again."""
    project = get_project(request.user, project_id, "write")
    known = known_profiles(request.user)  # type: ignore[arg-type]
    form = _form(known, request.POST)
    try:
        choices = _choices(request.POST, known)
    except Refused as refused:
        form.add_error("profile", refused.message)
        choices = None
    if request.POST.get("do") == "save":
        return _save(request, project, form, choices)
    if form.is_valid() and (choices is None or choices.is_valid()):
        try:
            return redirect("research:run", _started(request, project, form, choices).pk)
        except Refused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
    return _again(request, project, form, choices, status=422)


def _started(request: HttpRequest, project: Project, form: StartForm, choices: ChoicesForm | None) -> Run:
    profile = _shown_profile(form, known_profiles(request.user))  # type: ignore[arg-type]
    # The form has the fields for limits with all profiles; one that uses no model ignores them.
    is_paid = services_used_by(_changed(profile, choices) if choices else profile).has_budget
    limits: dict[str, Any] = {limit: form.cleaned_data.get(name) for name, limit in LIMITS.items()} if is_paid else {}
    return start_run(
        project,
        request.user,  # type: ignore[arg-type]
        RunRequest(
            form.cleaned_data["question"],
            form.cleaned_data["profile"],
            overrides=choices.overrides() if choices else None,
            file_ids=_uuids(request.POST.getlist("files")),
            budget=Budget(**limits),
            wants_approval=form.cleaned_data["wants_approval"],
        ),
    )


def _save(request: HttpRequest, project: Project, form: StartForm, choices: ChoicesForm | None) -> HttpResponse:
    """Save the choices as a profile of the given name and show the form again, with all input and no other errors."""
    saving = SaveForm(request.POST)
    base = request.POST.get("profile") or default_profile_of(project)
    if saving.is_valid() and (choices is None or choices.is_valid()):
        try:
            made = make_profile(
                request.user,  # type: ignore[arg-type]
                saving.cleaned_data["save_as"],
                base=base,
                keys=choices.overrides() if choices else {},
            )
            is_new = save_profile(request.user, made)  # type: ignore[arg-type]
        except Refused as refused:
            saving.add_error("save_as", refused.message)
        else:
            known = known_profiles(request.user)  # type: ignore[arg-type]
            form = _form(known, initial={**request.POST.dict(), "profile": made.name})
            said = f"{'Saved' if is_new else 'Updated'}: “{made.name}” is one of your profiles."
            return _again(request, project, form, None, said=said)
    return _again(request, project, form, choices, saving=saving, status=422, judged=False)


def _uuids(values: list[str]) -> list[UUID]:
    """Return `values` as ids. Raises Refused if one is not an id, since it cannot be a file of the thesis."""
    try:
        return [UUID(value) for value in values]
    except ValueError:
        raise Refused("One of the chosen files is no longer in this thesis.", field="files") from None


def _shown_profile(form: StartForm, known: Profiles) -> ResearchProfile:
    """Return the profile that the form shows as selected; for an unknown value, browsers show the first option."""
    first = form.fields["profile"].choices[0][0]  # type: ignore[attr-defined]
    return known.get(form["profile"].value() or "") or known.built_in[first]


def _again(
    request: HttpRequest,
    project: Project,
    form: StartForm,
    choices: ChoicesForm | None,
    *,
    status: int = 200,
    judged: bool = True,
    **more: Any,
) -> HttpResponse:
    """Show the page again with all input; unless `judged`, without errors on the main form."""
    known = known_profiles(request.user)  # type: ignore[arg-type]
    if not judged:
        form = _form(known, initial=request.POST.dict())
    choices = choices or ChoicesForm(of=_shown_profile(form, known))
    return _list_page(request, project, form, choices, chosen=request.POST.getlist("files"), status=status, **more)


def _list_page(
    request: HttpRequest,
    project: Project,
    form: StartForm,
    choices: ChoicesForm,
    *,
    chosen: Iterable[str],
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Show the runs of `project` and the form for a new one; the files whose ids are in `chosen` are ticked."""
    ticked = set(chosen)
    files = list(project.context_files.all())
    runs = (
        Run.objects.filter(project=project)
        .select_related("job", "created_by")
        .annotate(
            cited=Count(
                "sources__document",
                distinct=True,
                filter=Q(sources__number__isnull=False, sources__duplicate_of=None, sources__is_passage=False),
            )
        )
        .defer("report")
        .order_by("-created_at")
    )
    profile = _shown_profile(form, known_profiles(request.user))  # type: ignore[arg-type]
    if choices.is_bound and choices.is_valid():
        profile = _changed(profile, choices)
    return render(
        request,
        "research/list.html",
        {
            "project": project,
            "tab": "research",
            "form": form,
            "choices": choices,
            "saving": SaveForm(),
            "page": Paginator(runs, per_page=30).get_page(request.GET.get("page")),
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
            "may_open_data": may_open_data(project),
            # The service that receives passages from a run that is not local-only.
            "remote": next(filter(None, (services_used_by(profile).model for profile in BUILT_IN.values())), ""),
            "reach": services_used_by(profile),
            "costs": _costs(project, profile, form, ticked),
            # For the panel of contextfiles/files.html, here inside another form.
            "pick": True,
            "files": files,
            "chosen": {file.pk for file in files if str(file.pk) in ticked},
            **upload_limits(),
            **more,
        },
        status=status,
    )
