from django.urls import path

from research import (
    consent_page,
    context_pages,
    follow_up_pages,
    pages,
    plan_page,
    profile_pages,
    review_pages,
    starting,
    views,
)

app_name = "research"
urlpatterns = [
    # Of a thesis
    path("projects/<uuid:project_id>/research/", starting.list_runs, name="list"),
    path("projects/<uuid:project_id>/research/start/", starting.start, name="start"),
    # Of a person
    path("account/profiles/", profile_pages.profiles, name="profiles"),
    path("account/profiles/<int:profile_id>/", profile_pages.profile, name="profile"),
    path("account/profiles/<int:profile_id>/delete/", profile_pages.delete, name="profile_delete"),
    # Of a run
    path("runs/<uuid:run_id>/", views.run, name="run"),
    path("runs/<uuid:run_id>/head/", views.head, name="head"),
    path("runs/<uuid:run_id>/tree/", views.tree, name="tree"),
    path("runs/<uuid:run_id>/events/", views.events, name="events"),
    path("runs/<uuid:run_id>/files/", context_pages.files, name="files"),
    path("runs/<uuid:run_id>/debug/", context_pages.debug, name="debug"),
    path("runs/<uuid:run_id>/given/<str:number>/", context_pages.given, name="given"),
    path("runs/<uuid:run_id>/consent/", consent_page.consent, name="consent"),
    path("runs/<uuid:run_id>/plan/", plan_page.plan, name="plan"),
    path("runs/<uuid:run_id>/control/<str:act>/", views.control, name="control"),
    # What it left
    path("runs/<uuid:run_id>/report/", pages.report, name="report"),
    path("runs/<uuid:run_id>/claims/", pages.claims, name="claims"),
    path("runs/<uuid:run_id>/evidence/<str:claim_id>/", pages.evidence, name="evidence"),
    path("runs/<uuid:run_id>/sources/", pages.sources, name="sources"),
    path("runs/<uuid:run_id>/findings/", pages.findings, name="findings"),
    path("runs/<uuid:run_id>/methods/", review_pages.methods, name="methods"),
    path("runs/<uuid:run_id>/network/", review_pages.network, name="network"),
    path("runs/<uuid:run_id>/flow/", review_pages.flow, name="flow"),
    path("runs/<uuid:run_id>/provenance/", pages.provenance, name="provenance"),
    path("runs/<uuid:run_id>/follow-ups/", follow_up_pages.follow_ups, name="follow_ups"),
    path("runs/<uuid:run_id>/follow-ups/ask/", follow_up_pages.ask_more, name="follow_up_ask"),
    path("runs/<uuid:run_id>/follow-ups/<int:number>/", follow_up_pages.follow_up, name="follow_up"),
    path("runs/<uuid:run_id>/export/<str:name>/", pages.download, name="export"),
]
