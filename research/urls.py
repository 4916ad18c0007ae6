from django.urls import path

from research import pages, views

app_name = "research"
urlpatterns = [
    # Of a thesis
    path("projects/<uuid:project_id>/research/", views.list_runs, name="list"),
    path("projects/<uuid:project_id>/research/start/", views.start, name="start"),
    # Of a run
    path("runs/<uuid:run_id>/", views.run, name="run"),
    path("runs/<uuid:run_id>/head/", views.head, name="head"),
    path("runs/<uuid:run_id>/tree/", views.tree, name="tree"),
    path("runs/<uuid:run_id>/events/", views.events, name="events"),
    path("runs/<uuid:run_id>/control/<str:act>/", views.control, name="control"),
    # What it left
    path("runs/<uuid:run_id>/report/", pages.report, name="report"),
    path("runs/<uuid:run_id>/evidence/<str:claim_id>/", pages.evidence, name="evidence"),
    path("runs/<uuid:run_id>/sources/", pages.sources, name="sources"),
    path("runs/<uuid:run_id>/findings/", pages.findings, name="findings"),
    path("runs/<uuid:run_id>/provenance/", pages.provenance, name="provenance"),
    path("runs/<uuid:run_id>/export/<str:name>/", pages.download, name="export"),
]
