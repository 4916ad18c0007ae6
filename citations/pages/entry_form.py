"""Editing and adding a reference by fields (SPEC C9). The BibTeX of the same entry is one tab away."""

from dataclasses import replace
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from citations.audit.key_uses import uses_by_key
from citations.editing.edit import bibtex_for_editing, edit
from citations.editing.entry_fields import LABELS, TYPES, EntryForm, form_of, with_row, write_entry
from citations.importing.add_references import add
from citations.models import Citation
from citations.pages.reference import find
from citations.pages.reference_rows import places_of
from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.signed_in_request import PersonRequest

MOST_PEOPLE = 2_000

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@page_or_post
def edit_fields(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show a reference as fields, or save them; a POST without `save` shows the fields again, for another type."""
    found = find(request, project_id, citation_id, "write")
    bibtex = bibtex_for_editing(found)
    try:
        form = form_of(bibtex)
    except Refused as refused:
        messages.info(request, refused.message)
        return redirect("citations:edit", project_id, citation_id)
    wrong: Refused | None = None
    if request.method == "POST":
        form = _sent(request.POST)
        if "save" in request.POST:
            try:
                edited = edit(found, write_entry(_without_empty_rows(form), bibtex), request.user)
            except Refused as refused:
                wrong = refused
            else:
                again = " The reference is being checked again." if edited.check_due_at else ""
                messages.success(request, f"Saved.{again}")
                return redirect("citations:detail", project_id, citation_id)
    return _page(request, found.project, form, wrong, citation=found)


@page_or_post
def add_fields(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show an empty form by fields, or add the reference that it describes and show it."""
    project = get_project(request.user, project_id, "write")
    form, wrong = EntryForm(authors=(("", ""),)), None
    if request.method == "POST":
        form = _sent(request.POST)
        if "save" in request.POST:
            try:
                entry = write_entry(_without_empty_rows(form))
                added = add(project, request.user, bibtex_entry=entry)
            except Refused as refused:
                wrong = refused
            else:
                (one,) = added
                messages.success(request, "This work was already in the list." if one.existing else "Added.")
                return redirect("citations:detail", project.pk, one.citation.pk)
    return _page(request, project, form, wrong)


def _sent(post: QueryDict) -> EntryForm:
    """Return what was sent, the lines of each field as one."""

    def people(name: str) -> tuple[tuple[str, str], ...]:
        rows = zip_longest(post.getlist(f"{name}_family"), post.getlist(f"{name}_given"), fillvalue="")
        return tuple((_line(family), _line(given)) for family, given in rows)[:MOST_PEOPLE]

    texts = {name: text for name in LABELS if (text := _line(post.get(f"field_{name}", "")))}
    form = EntryForm(
        key=_line(post.get("cite_key", "")),
        type=post.get("type", "")[:60],
        title=_line(post.get("title", "")),
        issued=_line(post.get("issued", "")),
        texts=texts,
        authors=people("author"),
        editors=people("editor"),
        and_others="and_others" in post,
    )
    return with_row(form, post.get("more", "")) if "more" in post else form


def _line(text: str) -> str:
    return " ".join(text.split())


def _without_empty_rows(form: EntryForm) -> EntryForm:
    def named(people: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((family or given, given if family else "") for family, given in people if family or given)

    return replace(form, authors=named(form.authors), editors=named(form.editors))


def _page(
    request: PersonRequest, project: Project, form: EntryForm, wrong: Refused | None, citation: Citation | None = None
) -> HttpResponse:
    kind = TYPES.get(form.type)
    used = places_of(project, uses_by_key(project).get(citation.cite_key, ())) if citation else []
    context: dict[str, Any] = {
        "project": project,
        "tab": "citations",
        "citation": citation,
        "form": form,
        "types": [(name, one.label) for name, one in TYPES.items()],
        "other_type": "" if kind else form.type,
        "shows_editors": bool(form.editors) or bool(kind and kind.has_editors),
        "authors": form.authors or (("", ""),),
        "editors": form.editors or (("", ""),),
        "wrong": wrong,
        "used": used,
    }
    part = "#fields" if request.htmx and "save" not in request.POST else ""
    return render(request, f"citations/entry_form.html{part}", context, status=422 if wrong else 200)
