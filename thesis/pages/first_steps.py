"""The list of first steps beside the outline, and putting it away or bringing it back."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from projects.access import get_project
from projects.signed_in_request import PersonRequest
from thesis.first_steps import first_steps, put_away


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def steps(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the first steps (for htmx the list beside the outline, or nothing); on POST put it away or bring it back.

    `shown` is "no" or "yes". Without htmx, a POST goes back to the thesis.
    """
    project = get_project(request.user, project_id, "write")
    if request.method == "POST":
        put_away(project, request.user, away=request.POST.get("shown") == "no")
        if not request.htmx:
            return redirect("sections:workspace", project.pk)
    context = {"project": project, "tab": "write", "first": first_steps(project, request.user)}
    return render(request, f"thesis/first_steps.html{'#list' if request.htmx else ''}", context)
