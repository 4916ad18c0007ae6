"""Pages that belong to no room: which engine is on, and whether the process and its neighbours are well."""

from datetime import timedelta

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from jobs.models import WorkerBeat
from llm.engine import EngineUnavailable, choose_engine

BEAT_AGE = timedelta(seconds=30)


@require_safe
def engine(request: HttpRequest) -> HttpResponse:
    """The fragment that says which engine is on, for the account page."""
    try:
        label, trouble = choose_engine().label, ""
    except EngineUnavailable as error:
        label, trouble = "", str(error)
    return render(request, "config/_engine.html", {"label": label, "trouble": trouble})


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 while this process answers."""
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
def readiness(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and a worker reported in the last 30 seconds, else 503 with what is missing."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = True
        worker = WorkerBeat.objects.filter(at__gt=timezone.now() - BEAT_AGE).exists()
    except DatabaseError:
        database = worker = False
    return JsonResponse({"database": database, "worker": worker}, status=200 if database and worker else 503)
