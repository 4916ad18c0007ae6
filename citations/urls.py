from django.urls import path

from citations.pages import bring, listed, rail, reference

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", listed.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", bring.bring, name="import"),
    path("projects/<uuid:project_id>/citations/export/", bring.export, name="export"),
    path("projects/<uuid:project_id>/citations/style/", listed.style, name="style"),
    path("projects/<uuid:project_id>/citations/style/preview/", listed.preview, name="style_preview"),
    path("imports/<uuid:import_id>/", bring.imported, name="imported"),
    path("imports/<uuid:import_id>/progress/", bring.progress, name="import_progress"),
    path("imports/<uuid:import_id>/stop/", bring.stop, name="import_stop"),
    path("projects/<uuid:project_id>/citations/audit/", listed.audit, name="audit"),
    path("projects/<uuid:project_id>/citations/add/", listed.add_page, name="add"),
    path("projects/<uuid:project_id>/citations/duplicates/", listed.duplicates, name="duplicates"),
    path("projects/<uuid:project_id>/citations/duplicates/hint/", listed.duplicates_hint, name="duplicates_hint"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/cited/", rail.cited, name="cited"),
    # Checking
    path("projects/<uuid:project_id>/citations/check/", listed.check, name="check"),
    path("projects/<uuid:project_id>/citations/check/stop/", listed.stop, name="check_stop"),
    path("projects/<uuid:project_id>/citations/check/progress/", listed.progress, name="progress"),
    # The entries of a stored file
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/", bring.entries, name="entries"),
    path(
        "projects/<uuid:project_id>/files/<uuid:file_id>/entries/import/", bring.entries_import, name="entries_import"
    ),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/stop/", bring.entries_stop, name="entries_stop"),
    path("entries/<uuid:file_id>/", bring.entries_of, name="entries_of"),
    path("entries/progress/<uuid:job_id>/", bring.entries_progress, name="entries_progress"),
    # One citation
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/", reference.citation, name="detail"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/attest/", reference.attest_page, name="attest"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/withdraw/", reference.withdraw, name="withdraw"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/edit/", reference.edit_page, name="edit"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/check/", reference.check, name="check_one"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/repair/", reference.repair, name="repair"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/record/", reference.record, name="record"),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/retraction/", reference.retraction, name="retraction"
    ),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/retraction/withdraw/",
        reference.withdraw_reason,
        name="withdraw_reason",
    ),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/", reference.describe, name="file"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/work/", reference.identify, name="file_work"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/again/", reference.as_file, name="as_file"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/delete/", reference.delete, name="delete"),
]
