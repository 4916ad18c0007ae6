"""The part of a page that follows a job: nothing while there is no news, the page's body at its end."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from projects.requests import PersonRequest


def followed(
    request: PersonRequest, template: str, told: dict[str, Any] | None, context: Callable[[], dict[str, Any]]
) -> HttpResponse:
    """How far the job is, as `told`; None of one that has ended, which is shown by the body of `template`."""
    if told is None:
        response = render(request, f"{template}#body", context())
        response["HX-Retarget"], response["HX-Reswap"] = "#main", "innerHTML"
        return response
    if request.GET.get("seen") == told["seen"]:
        return HttpResponse(status=204)
    return render(request, "analysis/_progress.html", context() | {"told": told})
