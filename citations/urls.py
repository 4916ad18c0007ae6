from django.urls import path

from citations import (
    add_page,
    attest_page,
    audit_page,
    check_page,
    edit_page,
    entry_pages,
    import_page,
    rail,
    reference_page,
    style_page,
    views,
)

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", views.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", import_page.bring, name="import"),
    path("projects/<uuid:project_id>/citations/export/", import_page.export, name="export"),
    path("projects/<uuid:project_id>/citations/style/", style_page.style, name="style"),
    path("projects/<uuid:project_id>/citations/style/preview/", style_page.preview, name="style_preview"),
    path("imports/<uuid:import_id>/", import_page.imported, name="imported"),
    path("imports/<uuid:import_id>/progress/", import_page.progress, name="import_progress"),
    path("imports/<uuid:import_id>/stop/", import_page.stop, name="import_stop"),
    path("projects/<uuid:project_id>/citations/audit/", audit_page.audit, name="audit"),
    path("projects/<uuid:project_id>/citations/add/", add_page.page, name="add"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/cited/", rail.cited, name="cited"),
    # Checking
    path("projects/<uuid:project_id>/citations/check/", check_page.check, name="check"),
    path("projects/<uuid:project_id>/citations/check/stop/", check_page.stop, name="check_stop"),
    path("projects/<uuid:project_id>/citations/check/progress/", check_page.progress, name="progress"),
    # The entries of a stored file
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/", entry_pages.entries, name="entries"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/import/", entry_pages.bring, name="entries_import"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/stop/", entry_pages.stop, name="entries_stop"),
    path("entries/<uuid:file_id>/", entry_pages.entries_of, name="entries_of"),
    path("entries/progress/<uuid:job_id>/", entry_pages.progress, name="entries_progress"),
    # One citation
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/", reference_page.citation, name="detail"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/attest/", attest_page.page, name="attest"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/withdraw/", reference_page.withdraw, name="withdraw"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/edit/", edit_page.page, name="edit"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/check/", reference_page.check, name="check_one"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/repair/", reference_page.repair, name="repair"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/record/", reference_page.record, name="record"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/delete/", reference_page.delete, name="delete"),
]
