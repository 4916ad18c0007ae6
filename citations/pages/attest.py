"""Vouching for a reference, with a reason (SPEC C2, C5, C9)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from citations.changing.attesting import attest
from citations.pages.forms_of_one import AttestForm, put
from citations.pages.reference import find
from citations.proof.comparing import claimed_side, found_side
from core.errors import Refused
from projects.requests import PersonRequest


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    found = find(request, project_id, citation_id, "attest")
    form = AttestForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            attest(found, request.user, **form.cleaned_data)
        except Refused as refused:
            put(form, refused)
        else:
            messages.success(request, f"Attested. {found.cite_key} is tier {found.tier}.")
            return redirect("citations:detail", found.project.pk, found.pk)
    context = {
        "project": found.project,
        "tab": "citations",
        "citation": found,
        "claimed": claimed_side(found),
        "found": found_side(found) if found.status == "conflict" else None,
        "form": form,
    }
    return render(request, "citations/attest.html", context, status=422 if form.errors else 200)
