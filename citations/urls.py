from django.urls import path

from citations import views

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", views.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", views.bring, name="import"),
    path("projects/<uuid:project_id>/citations/export/", views.export, name="export"),
    # One citation
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/", views.citation, name="detail"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/delete/", views.delete, name="delete"),
]
