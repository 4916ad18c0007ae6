from django.urls import path

from citations.pages import add as add_page
from citations.pages import attest as attest_page
from citations.pages import audit as audit_page
from citations.pages import bring as import_page
from citations.pages import check as check_page
from citations.pages import duplicates as duplicates_page
from citations.pages import edit as edit_page
from citations.pages import file_entries as entry_pages
from citations.pages import listed, own_file, rail
from citations.pages import reference as reference_page
from citations.pages import style as style_page

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", listed.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", import_page.bring, name="import"),
    path("projects/<uuid:project_id>/citations/export/", import_page.export, name="export"),
    path("projects/<uuid:project_id>/citations/style/", style_page.style, name="style"),
    path("projects/<uuid:project_id>/citations/style/preview/", style_page.preview, name="style_preview"),
    path("imports/<uuid:import_id>/", import_page.imported, name="imported"),
    path("imports/<uuid:import_id>/progress/", import_page.progress, name="import_progress"),
    path("imports/<uuid:import_id>/stop/", import_page.stop, name="import_stop"),
    path("projects/<uuid:project_id>/citations/audit/", audit_page.audit, name="audit"),
    path("projects/<uuid:project_id>/citations/add/", add_page.page, name="add"),
    path("projects/<uuid:project_id>/citations/duplicates/", duplicates_page.page, name="duplicates"),
    path("projects/<uuid:project_id>/citations/duplicates/hint/", duplicates_page.hint, name="duplicates_hint"),
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
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/retraction/", own_file.retraction, name="retraction"),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/retraction/withdraw/",
        own_file.withdraw_reason,
        name="withdraw_reason",
    ),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/", own_file.describe, name="file"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/work/", own_file.identify, name="file_work"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/file/again/", own_file.as_file, name="as_file"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/delete/", reference_page.delete, name="delete"),
]
