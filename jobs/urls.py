from django.urls import path

from jobs import views

app_name = "jobs"
urlpatterns = [path("jobs/<uuid:job_id>/", views.job, name="job")]
