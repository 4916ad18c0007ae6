"""URLs of the pages that import, draft, insert, lay out and build a thesis."""

from django.urls import path

from thesis import views
from thesis.pages import ai_use as ai_use_page
from thesis.pages import attached_pdfs, draft, file_viewer, insert, pdf_batch, pdf_viewer
from thesis.pages import build as build_page
from thesis.pages import first_steps as first_steps_page
from thesis.pages import layout as layout_page
from thesis.pages import manuscript as manuscript_page
from thesis.pages import typed_list as typed_list_page

app_name = "thesis"
urlpatterns = [
    path("projects/bring/", views.import_thesis_page, name="bring"),
    path("projects/<uuid:project_id>/bring/", views.import_sections_page, name="bring_into"),
    path("projects/<uuid:project_id>/source/", views.source, name="source"),
    # One import
    path("brought/<uuid:text_id>/", views.import_page, name="brought"),
    path("brought/<uuid:text_id>/progress/", views.progress, name="progress"),
    path("brought/<uuid:text_id>/stop/", views.stop, name="stop"),
    path("brought/<uuid:text_id>/references/", typed_list_page.typed_list, name="typed_list"),
    path("brought/<uuid:text_id>/references/link/", typed_list_page.link_references, name="link_references"),
    # What a new thesis still needs
    path("projects/<uuid:project_id>/first-steps/", first_steps_page.steps, name="first_steps"),
    # The manuscript
    path("projects/<uuid:project_id>/read/", manuscript_page.manuscript, name="manuscript"),
    path("projects/<uuid:project_id>/read/<slug:slug>/", manuscript_page.chapter, name="manuscript_chapter"),
    # Drafting
    path("projects/<uuid:project_id>/drafting/", draft.allowance, name="allowance"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/draft/", draft.panel, name="draft_panel"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/draft/start/", draft.start, name="draft_start"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/draft/choices/", draft.choices, name="draft_choices"),
    path("drafts/<uuid:draft_id>/", draft.draft_page, name="draft"),
    path("drafts/<uuid:draft_id>/take/", draft.take_blocks, name="draft_take"),
    path("drafts/<uuid:draft_id>/leave/", draft.leave, name="draft_leave"),
    path("drafts/<uuid:draft_id>/stop/", draft.stop, name="draft_stop"),
    # Findings, reports and support for a sentence
    path("runs/<uuid:run_id>/put/", insert.findings, name="put_findings"),
    path("runs/<uuid:run_id>/report/put/", insert.report, name="put_report"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/put/", insert.result, name="put_result"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/support/", draft.support_panel, name="support_panel"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/support/start/", draft.support_begin, name="support_start"),
    path("support/<uuid:support_id>/", draft.support_one, name="support"),
    path("support/<uuid:support_id>/cite/", draft.support_cite, name="support_cite"),
    path("support/<uuid:support_id>/leave/", draft.support_leave, name="support_leave"),
    # Building
    path("projects/<uuid:project_id>/layout/", layout_page.layout, name="layout"),
    path("projects/<uuid:project_id>/ai-use/", ai_use_page.ai_use, name="ai_use"),
    path("projects/<uuid:project_id>/build/", build_page.build, name="build"),
    path("projects/<uuid:project_id>/build/before/", build_page.preflight, name="preflight"),
    path("builds/<uuid:build_id>/", build_page.built, name="built"),
    path("builds/<uuid:build_id>/progress/", build_page.progress, name="build_progress"),
    path("builds/<uuid:build_id>/stop/", build_page.stop, name="build_stop"),
    path("builds/<uuid:build_id>/file/", build_page.file, name="build_file"),
    path("builds/<uuid:build_id>/log/", build_page.log, name="build_log"),
    path("builds/<uuid:build_id>/pages/<int:number>.png", build_page.page, name="build_page"),
    # The viewer of a built PDF
    path("projects/<uuid:project_id>/pdf/", pdf_viewer.newest, name="pdf"),
    path("builds/<uuid:build_id>/view/", pdf_viewer.view, name="pdf_view"),
    path("builds/<uuid:build_id>/view/outline/", pdf_viewer.outline, name="pdf_outline"),
    path("builds/<uuid:build_id>/pages/<int:number>/words/", pdf_viewer.words, name="pdf_words"),
    path("builds/<uuid:build_id>/pages/<int:number>/text/", pdf_viewer.text, name="pdf_text"),
    # PDFs of references
    path("projects/<uuid:project_id>/pdfs/", pdf_batch.pdf_batches, name="pdf_batches"),
    path("projects/<uuid:project_id>/pdfs/drop/", pdf_batch.pdf_drop, name="pdf_drop"),
    path("projects/<uuid:project_id>/pdfs/notice/", pdf_batch.pdf_notice, name="pdf_notice"),
    path("pdfs/<uuid:batch_id>/", pdf_batch.pdf_batch, name="pdf_batch"),
    path("pdfs/<uuid:batch_id>/progress/", pdf_batch.progress, name="pdf_progress"),
    path("pdfs/<uuid:batch_id>/stop/", pdf_batch.stop, name="pdf_stop"),
    path("pdfs/<uuid:batch_id>/again/", pdf_batch.again, name="pdf_again"),
    path("pdfs/<uuid:batch_id>/files/<int:row_id>/attach/", pdf_batch.attach, name="pdf_attach"),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/pdfs/",
        attached_pdfs.reference_pdfs,
        name="reference_pdfs",
    ),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/pdfs/attach/",
        attached_pdfs.attach_pdf,
        name="attach_pdf",
    ),
    path(
        "projects/<uuid:project_id>/citations/<uuid:citation_id>/pdfs/<uuid:file_id>/detach/",
        attached_pdfs.detach_pdf,
        name="detach_pdf",
    ),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/view/", file_viewer.view, name="file_pdf"),
    path("projects/<uuid:project_id>/files/<uuid:file_id>/pages/<int:number>.png", file_viewer.page, name="file_page"),
    path(
        "projects/<uuid:project_id>/files/<uuid:file_id>/pages/<int:number>/words/",
        file_viewer.words,
        name="file_words",
    ),
    # The preview beside the editor
    path("projects/<uuid:project_id>/sections/<slug:slug>/preview/", build_page.show, name="preview_start"),
    path("builds/<uuid:build_id>/preview/", build_page.state, name="preview_state"),
]
