"""Pages that import a text, show the import, and download the LaTeX source (SPEC T2, T5)."""

from collections.abc import Sequence
from tempfile import TemporaryFile
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from core.errors import Refused
from jobs import progress as job_progress
from projects.access import Act, get_in_project, get_project, may
from projects.forms import LineField
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import TextImport
from thesis.importing.import_job import SECTIONS, job_of, progress_of_import, start_sections_import, start_thesis_import
from thesis.importing.read_upload import FORMATS
from thesis.project_export import write_draft, write_final, write_source


class SectionsImportForm(forms.Form):
    """A file to import as sections of an existing thesis."""

    file = forms.FileField(
        label="File",
        help_text="Word (.docx), Markdown (.md) or one LaTeX file (.tex).",
        error_messages={"required": "Choose a file first.", "empty": "This file is empty."},
        widget=forms.FileInput(attrs={"accept": ",".join(ending for ending in FORMATS if ending != ".zip")}),
    )


class ThesisImportForm(SectionsImportForm):
    """A file to import as a new thesis."""

    title = LineField(
        required=False,
        max_length=300,
        label="Title",
        help_text="Leave it empty to use the title in the file.",
        error_messages={
            "max_length": "A title can have at most %(limit_value)d characters; this one has %(show_value)d."
        },
    )
    main = forms.CharField(required=False, strip=False)  # the main file, if several documents could be it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "file"
        ].help_text = "A LaTeX project as a ZIP archive, one LaTeX file (.tex), Word (.docx) or Markdown (.md)."
        self.fields["file"].widget.attrs["accept"] = ",".join(FORMATS)


MOST_ROWS = 500  # files, and citations to check, listed on the page; the API lists all

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@page_or_post
def import_thesis_page(request: PersonRequest) -> HttpResponse:
    """Show the form that imports a thesis; on POST start the import and go to its page."""
    form = ThesisImportForm(request.POST, request.FILES) if request.method == "POST" else ThesisImportForm()
    choices: Sequence[str] = ()
    if form.is_valid():
        file, title, main = (form.cleaned_data[name] for name in ("file", "title", "main"))
        try:
            made = start_thesis_import(request.user, file, file.name, title, main)
        except Refused as refused:
            choices = refused.choices[:100]
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        else:
            address = reverse("thesis:brought", args=[made.pk])
            return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    # With htmx only the answer below the form is replaced, so that the chosen file stays selected.
    return _form(request, f"thesis/import_thesis.html{'#answer' if request.htmx else ''}", form, choices=choices)


@page_or_post
def import_sections_page(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the form that imports sections into a thesis; on POST start the import and go to its page."""
    project = get_project(request.user, project_id, "write")
    form = SectionsImportForm(request.POST, request.FILES) if request.method == "POST" else SectionsImportForm()
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            made = start_sections_import(project, request.user, file, file.name)
        except Refused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        else:
            return redirect("thesis:brought", made.pk)
    return _form(request, "thesis/import_sections.html", form, project=project, tab="write")


def _form(request: PersonRequest, template: str, form: SectionsImportForm, **context: Any) -> HttpResponse:
    most = settings.UPLOAD_MAX_BYTES
    context |= {"form": form, "most_bytes": most, "most": f"{most / 1024 / 1024:g} MB"}
    return render(request, template, context, status=422 if form.errors else 200)


@require_safe
def import_page(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Show the progress of an import, and at its end what each file became."""
    return render(request, "thesis/import_report.html", _context(_find(request, text_id)))


@require_safe
def progress(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Show the progress of an import to the page that polls for it; once it has ended, the whole page."""
    found = _find(request, text_id)
    return job_progress.render_progress(
        request, "thesis/import_report.html", _context(found), "thesis:brought", found.pk
    )


@require_POST
def stop(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Stop an import and go back to its page. If its text is not imported yet, nothing of it is kept."""
    found = _find(request, text_id, "write")
    return job_progress.stopped(job_of(found), "thesis:brought", found.pk)


@require_safe
def source(request: PersonRequest, project_id: UUID) -> FileResponse:
    """Send the LaTeX source of a thesis as a ZIP archive to download."""
    return download(get_project(request.user, project_id), "source")


def download(project: Project, form: str) -> FileResponse:
    """Return `project` as a ZIP archive. `form` is draft, source or final. Raises Refused as `write_final` does."""
    out = TemporaryFile()  # noqa: SIM115  the response closes it
    try:
        {"draft": write_draft, "source": write_source, "final": write_final}[form](project, out)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    name = slugify(project.title)[:60].strip("-") or "thesis"
    return FileResponse(out, as_attachment=True, filename=f"{name}.zip", content_type="application/zip")


def _find(request: PersonRequest, text_id: UUID, act: Act = "read") -> TextImport:
    return get_in_project(request.user, TextImport.objects.select_related("made_by"), act, pk=text_id)


def _context(found: TextImport) -> dict[str, Any]:
    project = found.project
    state = progress_of_import(found, job_of(found))
    rows = state["rows"]
    return {
        "project": project,
        "tab": "write",
        "brought": found,
        "import": state,
        "rows": rows[:MOST_ROWS],
        "more": max(0, len(rows) - MOST_ROWS),
        "warned": [row for row in rows if row["warnings"] or row["kind"] == "left_out"],
        "is_addition": state["into"] == SECTIONS,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "owns": may(project.role, "own"),  # type: ignore[attr-defined]
    }
