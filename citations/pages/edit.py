"""Editing a reference as BibTeX (SPEC C5, C6, C9)."""

from uuid import UUID

from django.contrib import messages
from django.core.validators import MaxLengthValidator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from citations.audit.uses import uses
from citations.changing.editing import edit, editable, longest_of
from citations.pages.forms_of_one import EditForm, put
from citations.pages.list_rows import places_of
from citations.pages.reference import find
from core.errors import Refused
from projects.requests import PersonRequest


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """A form with the entry's BibTeX. What was typed stays when it cannot be read."""
    found = find(request, project_id, citation_id, "write")
    before = found.cite_key
    form = EditForm(request.POST) if request.method == "POST" else EditForm(initial={"bibtex": editable(found)})
    form.fields["bibtex"].validators.append(
        MaxLengthValidator(longest_of(found), "An entry has at most %(limit_value)s characters.")
    )
    if form.is_valid():
        try:
            edited = edit(found, form.cleaned_data["bibtex"].replace("\r\n", "\n"), request.user)
        except Refused as refused:
            put(form, refused)
        else:
            again = " It is checked once more." if edited.check_due_at else ""
            messages.success(request, f"Saved.{again}")
            return redirect("citations:detail", found.project.pk, found.pk)
    used = places_of(found.project, uses(found.project).get(before, ()))
    context = {"project": found.project, "tab": "citations", "citation": found, "form": form, "used": used}
    return render(request, "citations/edit.html", context, status=422 if form.errors else 200)
