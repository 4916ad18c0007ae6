"""Pages that belong to no room: whether the process and its neighbours are well."""

import sys
from datetime import timedelta

from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from analysis.engine.client import health as engine_health
from core.db_errors import is_passing
from jobs.models import WorkerBeat
from jobs.nudge import redis_answers
from projects.middleware import busy

BEAT_AGE = timedelta(seconds=30)


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 while this process answers."""
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
def readiness(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and a worker reported in the last 30 seconds, else 503 with what is missing.

    Redis and the processes of R are reported where there are some, and never make the answer 503: all else works
    without them. `analysis` is true when one of them answers.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = True
        worker = WorkerBeat.objects.filter(at__gt=timezone.now() - BEAT_AGE).exists()
    except DatabaseError:
        database = worker = False
    found = {"database": database, "worker": worker}
    if settings.REDIS_URL:
        found["redis"] = redis_answers()
    if settings.R_PLUMBER_URLS:
        found["analysis"] = any(process["ok"] for process in async_to_sync(engine_health)())
    return JsonResponse(found, status=200 if database and worker else 503)


def fault(request: HttpRequest) -> HttpResponseBase:
    """What nobody foresaw, and a database that is away before any view is asked, as the one who is signed in is looked up."""
    error = sys.exc_info()[1]
    return busy() if isinstance(error, Exception) and is_passing(error) else server_error(request)
