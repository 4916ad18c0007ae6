from django.urls import path

from jobs import watching

app_name = "jobs"
urlpatterns = [path("jobs/<uuid:job_id>/", watching.job, name="job")]
