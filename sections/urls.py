from django.urls import path

from sections import views

app_name = "sections"

urlpatterns = [
    path("projects/<uuid:project_id>/", views.workspace, name="workspace"),
    path("projects/<uuid:project_id>/sections/", views.add, name="add"),
    # One section
    path("projects/<uuid:project_id>/sections/<slug:slug>/", views.section, name="section"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/rename/", views.rename, name="rename"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/move/", views.move, name="move"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/versions/<int:version>/", views.version, name="version"),
]
