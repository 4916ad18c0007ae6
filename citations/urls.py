"""The URLs of the pages of references."""

from django.urls import path

from citations.pages import (
    bulk,
    entry_form,
    find_pasted,
    import_export,
    reference,
    reference_list,
    saved_filters,
    section_sources,
    style,
    tags,
)

app_name = "citations"
urlpatterns = [
    path("projects/<uuid:project_id>/citations/", reference_list.citations, name="list"),
    path("projects/<uuid:project_id>/citations/import/", import_export.import_references, name="import"),
    path("projects/<uuid:project_id>/citations/export/", import_export.export, name="export"),
    path("projects/<uuid:project_id>/citations/export/selected/", bulk.export_selected, name="export_selected"),
    path("projects/<uuid:project_id>/citations/style/", style.style, name="style"),
    path("projects/<uuid:project_id>/citations/style/preview/", style.preview, name="style_preview"),
    path("imports/<uuid:import_id>/", import_export.import_page, name="imported"),
    path("imports/<uuid:import_id>/progress/", import_export.progress, name="import_progress"),
    path("imports/<uuid:import_id>/stop/", import_export.stop, name="import_stop"),
    path("projects/<uuid:project_id>/citations/keys/", style.keys, name="keys"),
    path("projects/<uuid:project_id>/citations/bulk/", bulk.bulk, name="bulk"),
    path("projects/<uuid:project_id>/citations/tags/", tags.tags, name="tags"),
    path("projects/<uuid:project_id>/citations/tags/keywords/", tags.keywords, name="keywords"),
    path("projects/<uuid:project_id>/citations/tags/<int:tag_id>/rename/", tags.rename, name="tag_rename"),
    path("projects/<uuid:project_id>/citations/tags/<int:tag_id>/delete/", tags.delete, name="tag_delete"),
    path("projects/<uuid:project_id>/citations/filters/", saved_filters.save, name="filters"),
    path(
        "projects/<uuid:project_id>/citations/filters/<int:filter_id>/delete/",
        saved_filters.delete,
        name="filter_delete",
    ),
    path("projects/<uuid:project_id>/citations/audit/", reference_list.audit, name="audit"),
    path("projects/<uuid:project_id>/citations/find/", find_pasted.find, name="find"),
    path("projects/<uuid:project_id>/citations/add/", reference_list.add_page, name="add"),
    path("projects/<uuid:project_id>/citations/add/fields/", entry_form.add_fields, name="add_fields"),
    path("projects/<uuid:project_id>/citations/duplicates/", reference_list.duplicates, name="duplicates"),
    path(
        "projects/<uuid:project_id>/citations/duplicates/hint/", reference_list.duplicates_hint, name="duplicates_hint"
    ),
    path("projects/<uuid:project_id>/sections/<slug:slug>/cited/", section_sources.cited, name="cited"),
    # Checking
    path("projects/<uuid:project_id>/citations/check/", reference_list.check, name="check"),
    path("projects/<uuid:project_id>/citations/check/stop/", reference_list.stop, name="check_stop"),
    path("projects/<uuid:project_id>/citations/check/progress/", reference_list.progress, name="progress"),
    # The entries of a stored file
    path("projects/<uuid:project_id>/files/<uuid:file_id>/entries/", import_export.entries, name="entries"),
    path(
        "projects/<uuid:project_id>/files/<uuid:file_id>/entries/import/",
        import_export.entries_import,
        name="entries_import",
    ),
    path(
        "projects/<uuid:project_id>/files/<uuid:file_id>/entries/stop/", import_export.entries_stop, name="entries_stop"
    ),
    path("entries/<uuid:file_id>/", import_export.entries_of, name="entries_of"),
    path("entries/progress/<uuid:job_id>/", import_export.entries_progress, name="entries_progress"),
    # One citation
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/", reference.citation, name="detail"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/tags/", tags.of_reference, name="reference_tags"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/card/", reference.card, name="card"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/attest/", reference.attest_page, name="attest"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/withdraw/", reference.withdraw, name="withdraw"),
    path("projects/<uuid:project_id>/citations/<uuid:citation_id>/edit/", reference.edit_page, name="edit"),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/edit/fields/",
        entry_form.edit_fields,
        name="edit_fields",
    ),
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
