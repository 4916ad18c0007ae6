from django.urls import path

from contextfiles import views

app_name = "contextfiles"
urlpatterns = [
    path("projects/<uuid:project_id>/files/", views.files, name="list"),
    path("projects/<uuid:project_id>/files/upload/", views.upload, name="upload"),
    # One file
    path("projects/<uuid:project_id>/files/<uuid:file_id>/", views.file, name="file"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/download/", views.download, name="download"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/delete/", views.delete, name="delete"),
]
