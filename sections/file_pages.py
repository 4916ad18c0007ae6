"""The pictures of a thesis as a page shows them: to its members only, and as nothing but pictures (SPEC T2, N5)."""

from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from projects.access import get_project
from projects.requests import PersonRequest
from sections.thesis_files import bytes_of, find_picture, page_of


@require_safe
def by_path(request: PersonRequest, project_id: UUID, path: str) -> HttpResponse:
    r"""The picture that `\includegraphics{path}` means; of a PDF its first page, as a PNG. 404 for all that is no picture."""
    project = get_project(request.user, project_id)
    file = find_picture(project, path)
    if file is None:
        raise Http404("There is no such picture in this thesis.")
    etag = f'"{file.sha256}"'
    given = parse_etags(request.headers.get("If-None-Match", ""))
    response: HttpResponse
    if etag in (tag.removeprefix("W/") for tag in given):
        response = HttpResponseNotModified()
    else:
        is_pdf = file.media_type == "application/pdf"
        try:
            data = page_of(file) if is_pdf else bytes_of(file)
        except OSError as error:
            raise Http404("The stored picture cannot be read from the disk.") from error
        if data is None:
            raise Http404("This PDF cannot be drawn.")
        response = HttpResponse(data, content_type="image/png" if is_pdf else file.media_type)
    response["ETag"] = etag
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
