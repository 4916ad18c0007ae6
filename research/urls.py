from django.urls import path

from research.pages import follow_up as follow_up_pages
from research.pages import plan as plan_pages
from research.pages import profile as profile_pages
from research.pages import result, run, start

app_name = "research"
urlpatterns = [
    # Runs of a thesis
    path("projects/<uuid:project_id>/research/", start.list_runs, name="list"),
    path("projects/<uuid:project_id>/research/start/", start.start, name="start"),
    # Profiles of a user
    path("projects/<uuid:project_id>/research/profile/", profile_pages.thesis_profile, name="thesis_profile"),
    path("account/profiles/", profile_pages.profiles, name="profiles"),
    path("account/profiles/<int:profile_id>/", profile_pages.profile, name="profile"),
    path("account/profiles/<int:profile_id>/delete/", profile_pages.delete, name="profile_delete"),
    # A run at work
    path("runs/<uuid:run_id>/", run.run, name="run"),
    path("runs/<uuid:run_id>/head/", run.head, name="head"),
    path("runs/<uuid:run_id>/tree/", run.tree, name="tree"),
    path("runs/<uuid:run_id>/events/", run.events, name="events"),
    path("runs/<uuid:run_id>/files/", run.files, name="files"),
    path("runs/<uuid:run_id>/debug/", run.debug, name="debug"),
    path("runs/<uuid:run_id>/given/<str:number>/", run.given, name="given"),
    path("runs/<uuid:run_id>/consent/", plan_pages.consent, name="consent"),
    path("runs/<uuid:run_id>/plan/", plan_pages.plan, name="plan"),
    path("runs/<uuid:run_id>/control/<str:act>/", run.control, name="control"),
    # Its results
    path("runs/<uuid:run_id>/report/", result.report, name="report"),
    path("runs/<uuid:run_id>/claims/", result.claims, name="claims"),
    path("runs/<uuid:run_id>/evidence/<str:claim_id>/", result.evidence, name="evidence"),
    path("runs/<uuid:run_id>/sources/", result.sources, name="sources"),
    path("runs/<uuid:run_id>/findings/", result.findings, name="findings"),
    path("runs/<uuid:run_id>/methods/", result.methods, name="methods"),
    path("runs/<uuid:run_id>/network/", result.network, name="network"),
    path("runs/<uuid:run_id>/flow/", result.flow, name="flow"),
    path("runs/<uuid:run_id>/provenance/", result.provenance, name="provenance"),
    path("runs/<uuid:run_id>/follow-ups/", follow_up_pages.follow_ups, name="follow_ups"),
    path("runs/<uuid:run_id>/follow-ups/ask/", follow_up_pages.ask_more, name="follow_up_ask"),
    path("runs/<uuid:run_id>/follow-ups/<int:number>/", follow_up_pages.follow_up, name="follow_up"),
    path("runs/<uuid:run_id>/export/<str:name>/", result.download, name="export"),
]
