"""The page on which a person decides about files with personal data, before a model elsewhere is asked (SPEC X2)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from contextfiles.models import ContextFile
from core.errors import Refused
from research.access import get_run
from research.files.consent import awaits_consent, decide, found_in
from text.personal import told


@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What was found in the files of a run that waits, and the ways on; a POST with do=send or do=leave_out is one."""
    run = get_run(request.user, run_id, "write")
    found = found_in(run)
    if found is None or not awaits_consent(run):
        messages.info(request, "Nothing about personal data is to be decided in this run.")
        return redirect("research:run", run.pk)
    if request.method == "POST":
        try:
            decide(run, request.user, request.POST.get("do", ""))  # type: ignore[arg-type]
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("research:consent", run.pk)
        return redirect("research:run", run.pk)
    there = ContextFile.objects.filter(project=run.project, name__in=list(found.files)).values_list("name", "pk")
    addresses = dict(there)
    context = {
        "project": run.project,
        "tab": "research",
        "run": run,
        "found": found,
        "files": [
            {"name": name, "id": addresses.get(name), "holds": told(counts)} for name, counts in found.files.items()
        ],
        "others": found.total - len(found.files),
    }
    return render(request, "research/consent.html", context)
