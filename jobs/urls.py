"""URLs of the jobs app."""

from django.urls import path

from jobs import progress

app_name = "jobs"
urlpatterns = [
    path("jobs/under-way/", progress.under_way, name="under_way"),
    path("jobs/<uuid:job_id>/", progress.job, name="job"),
]
