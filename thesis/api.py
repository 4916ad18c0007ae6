"""The API that imports a text and exports its source (SPEC P4, T2, T5). It calls the same functions as the pages."""

from typing import Any, Literal
from uuid import UUID

from django.http import FileResponse
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile

from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest
from sections.models import TextImport
from thesis.importing.import_job import job_of, progress_of_import, start_sections_import, start_thesis_import
from thesis.importing.typed_list.link import LinkPlan, link, plan_links
from thesis.views import download

router = Router(tags=["Thesis"])
for part in (
    "draft",
    "insert",
    "support",
    "build",
    "page_place",
    "layout",
    "ai_use",
    "manuscript",
    "first_steps",
    "attached_pdf",
):
    router.add_router("", f"thesis.{part}_api.router")


class BringingOut(Schema):
    """A file is being imported. Read the import `import_id` for its progress and its report."""

    import_id: UUID
    project_id: UUID
    job: UUID | None


class SectionRef(Schema):
    """A section that was imported."""

    title: str
    slug: str


class RowOut(Schema):
    """What became of one file. `kind` is section, tex, picture, references, other or left_out."""

    path: str
    kind: str
    became: str
    warnings: list[str]
    sections: list[SectionRef]


class UnplacedOut(Schema):
    """What of a Word file was kept as text, has no place, or should be looked at: its text, where it is, and why."""

    what: str
    text: str
    where: str
    why: str


class BroughtOut(BringingOut):
    """`stage`: waiting (nothing imported yet), text (the text is imported, its references are not all) or done.

    `state` is that of the job. `rows` lists every file of the upload, `notes` concern the whole import. Of a
    Word file, `came` says in sentences which citations, references and comments were imported, and
    `typed` is how many entries a list of references typed by hand has (link them at `/brought/{id}/typed-list`).
    """

    name: str
    into: Literal["thesis", "sections"]
    stage: Literal["waiting", "text", "done"]
    state: str
    done: int
    total: int
    reason: str
    sections: list[SectionRef]
    rows: list[RowOut]
    notes: list[str]
    came: list[str]
    typed: int
    unplaced: list[UnplacedOut]


@router.post("/projects/bring", response={202: BringingOut}, summary="Import a file as a new thesis")
def import_thesis_file(
    request: PersonRequest, file: File[UploadedFile], title: Form[str] = "", main: Form[str] = ""
) -> Any:
    """Send multipart form data with a `file`: a LaTeX project (.zip), one LaTeX file, Word or Markdown.

    If several files of a project can be the main file, the upload is refused with the code `which_main` and their paths
    as `choices`; send it again with one of them as `main`. Nothing is created before that.
    """
    return Status(
        202, _started(start_thesis_import(request.user, file, file.name or "", " ".join(title.split()), main))
    )


@router.post("/projects/{uuid:project_id}/bring", response={202: BringingOut}, summary="Add sections from a file")
def bring_into(request: PersonRequest, project_id: UUID, file: File[UploadedFile]) -> Any:
    """Send multipart form data with a `file`: one LaTeX file, Word or Markdown."""
    project = get_project(request.user, project_id, "write")
    return Status(202, _started(start_sections_import(project, request.user, file, file.name or "")))


@router.get("/brought/{uuid:text_id}", response=BroughtOut, summary="Progress and report of an import")
def read(request: PersonRequest, text_id: UUID) -> Any:
    """Poll this until `stage` is done or the job has ended."""
    found: TextImport = get_in_project(request.user, TextImport.objects.all(), pk=text_id)
    return {**_started(found), **progress_of_import(found, job_of(found)), "name": found.name}


class MarkOut(Schema):
    """A mark in the text with the words around it: the `latex` that links it, or `why` it is left as typed."""

    id: str
    section: UUID
    before: str
    words: str
    after: str
    latex: str
    why: str


class TypedEntryOut(Schema):
    """An entry of a typed list: its number there, its reference (None if that is gone) and how many marks mean it."""

    number: int | None
    text: str
    citation: UUID | None
    key: str
    status: str
    uses: int


class TypedListOut(Schema):
    """What linking a typed list of references would do. Send the `token` back to do it.

    `is_complete`: every entry is cited and every mark certain, so that the list can be removed.
    """

    token: str
    marks: list[MarkOut]
    doubts: list[MarkOut]
    entries: list[TypedEntryOut]
    is_complete: bool


class LinkIn(Schema):
    """The `token` of the plan that was read, the ids of marks to leave as typed, and whether to remove the list."""

    token: str
    left: list[str] = []
    remove_list: bool = False


@router.get("/brought/{uuid:text_id}/typed-list", response=TypedListOut, summary="A typed list of references")
def typed_list(request: PersonRequest, text_id: UUID) -> Any:
    r"""Return the marks of a typed list in the text and the `\cite` each would become. Nothing is changed."""
    return _plan_out(plan_links(get_in_project(request.user, TextImport.objects.all(), pk=text_id)))


@router.post("/brought/{uuid:text_id}/typed-list", response=TypedListOut, summary="Link a typed list of references")
def link_typed_list(request: PersonRequest, text_id: UUID, payload: LinkIn) -> Any:
    """Link the marks of a typed list, without those in `left`. Returns the list as it is afterwards.

    Refused with 409 and the code `changed` when the text or the references have changed since the token was read.
    """
    found: TextImport = get_in_project(request.user, TextImport.objects.all(), "write", pk=text_id)
    link(found, request.user, **payload.dict())
    return _plan_out(plan_links(found))


def _plan_out(plan: LinkPlan) -> dict[str, Any]:
    marks, doubts = (
        [{**vars(one), "section": one.section.pk} for one in places] for places in (plan.places, plan.doubts)
    )
    entries = [
        {
            "number": one.entry.number,
            "text": one.entry.text,
            "citation": one.citation.pk if one.citation else None,
            "key": one.citation.cite_key if one.citation else "",
            "status": one.citation.status if one.citation else "",
            "uses": one.uses,
        }
        for one in plan.entries
    ]
    return {"token": plan.token, "marks": marks, "doubts": doubts, "entries": entries, "is_complete": plan.is_complete}


@router.get("/projects/{uuid:project_id}/export", summary="A thesis as a LaTeX project, in a ZIP archive")
def export(
    request: PersonRequest, project_id: UUID, form: Literal["draft", "source", "final"] = "draft"
) -> FileResponse:
    """`draft`: a project that compiles elsewhere; its README says what was left out, and why. `final`: the same, but
    refused with 409 and all reasons while anything blocks it. `source`: the imported layout, with the imported bytes
    wherever nothing was changed.

    The same thesis always gives the same archive.
    """
    return download(get_project(request.user, project_id), form)


def _started(made: TextImport) -> dict[str, Any]:
    job = job_of(made)
    return {"import_id": made.pk, "project_id": made.project_id, "job": job.pk if job else None}
