"""What the top bar says about running work."""

from typing import Any

from django.http import HttpRequest

from jobs.models import Job


def running(request: HttpRequest) -> dict[str, Any]:
    """`running_jobs`: the person's jobs that run or wait, counted once per page, and only where it is shown."""

    def jobs() -> list[Job]:
        if not getattr(request, "user", None) or not request.user.is_authenticated:
            return []
        return list(Job.objects.visible_to(request.user).alive().only("id", "kind", "subject", "project_id")[:20])

    return {"running_jobs": jobs}
