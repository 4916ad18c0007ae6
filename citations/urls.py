from django.urls import path

from citations import entry_pages, views

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", views.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", views.bring, name="import"),
    path("projects/<uuid:project_id>/citations/export/", views.export, name="export"),
    # The entries of a stored file
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/", entry_pages.entries, name="entries"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/import/", entry_pages.bring, name="entries_import"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/stop/", entry_pages.stop, name="entries_stop"),
    path("entries/<uuid:file_id>/", entry_pages.entries_of, name="entries_of"),
    path("entries/progress/<uuid:job_id>/", entry_pages.progress, name="entries_progress"),
    # One citation
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/", views.citation, name="detail"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/delete/", views.delete, name="delete"),
]
