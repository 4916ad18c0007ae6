from django.urls import path

from thesis import views

app_name = "thesis"
urlpatterns = [
    path("projects/bring/", views.bring, name="bring"),
    path("projects/<uuid:project_id>/bring/", views.bring_into, name="bring_into"),
    path("projects/<uuid:project_id>/source/", views.source, name="source"),
    # One import
    path("brought/<uuid:text_id>/", views.brought, name="brought"),
    path("brought/<uuid:text_id>/progress/", views.progress, name="progress"),
    path("brought/<uuid:text_id>/stop/", views.stop, name="stop"),
]
