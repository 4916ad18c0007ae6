"""Pictures that are pasted or dropped into the text: taken, shown to members only, listed, deleted (SPEC T2, N5)."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from projects.models import Project, User
from sections.models import Section, ThesisFile
from sections.thesis_files import find_picture, store
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def picture(format: str = "PNG", mode: str = "RGB", size: tuple[int, int] = (40, 30), **more: Any) -> bytes:
    made = BytesIO()
    Image.new(mode, size, more.pop("color", 120)).save(made, format, **more)
    return made.getvalue()


def pdf() -> bytes:
    made = BytesIO()
    document = pypdfium2.PdfDocument.new()
    document.new_page(300, 150)
    document.save(made)
    return made.getvalue()


def add(user: User, project: Project, data: bytes, name: str = "image.png") -> Any:
    file = SimpleUploadedFile(name, data)
    return signed_in(user).post(f"/api/projects/{project.pk}/files", {"file": file})


def stored(media: Path) -> list[Path]:
    return [path for path in media.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("format", "name", "path", "media_type"),
    [
        ("PNG", "image.png", "figures/pasted-1.png", "image/png"),
        ("PNG", "Flow chart (2).png", "figures/flow-chart-2.png", "image/png"),
        ("JPEG", "photo.JPEG", "figures/photo.jpg", "image/jpeg"),
        ("GIF", "image.gif", "figures/pasted-1.png", "image/png"),
        ("WEBP", "../../shot.webp", "figures/shot.png", "image/png"),
    ],
)
def test_a_picture_is_taken_and_shown(
    editor: User, project: Project, format: str, name: str, path: str, media_type: str
) -> None:
    answer = add(editor, project, picture(format), name)
    assert answer.status_code == 201, answer.content
    told = answer.json()
    assert (told["path"], told["width"], told["height"], told["kind"]) == (path, 40, 30, "picture")
    shown = signed_in(editor).get(told["url"])
    assert shown.headers["Content-Type"] == media_type
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert shown.headers["Content-Security-Policy"].startswith("sandbox")
    assert Image.open(BytesIO(shown.content)).size == (40, 30)
    again = signed_in(editor).get(told["url"], headers={"If-None-Match": shown.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_same_picture_again_is_the_same_file(editor: User, project: Project, media: Path) -> None:
    first, other, second = (add(editor, project, data).json() for data in (picture(), picture(color=7), picture()))
    assert first["id"] == second["id"]
    assert (first["path"], other["path"]) == ("figures/pasted-1.png", "figures/pasted-2.png")
    assert len(stored(media)) == 2


def test_what_a_camera_noted_is_dropped_and_the_picture_turned(editor: User, project: Project) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "Secret camera"
    made = add(editor, project, picture("JPEG", exif=exif, comment=b"Secret place", dpi=(300, 300)), "p.jpg").json()
    assert (made["width"], made["height"]) == (30, 40)
    data = signed_in(editor).get(made["url"]).content
    assert b"Secret" not in data
    assert Image.open(BytesIO(data)).info["dpi"] == (300, 300)


@pytest.mark.parametrize(
    ("format", "mode"), [("PNG", "P"), ("PNG", "1"), ("PNG", "RGBA"), ("PNG", "I;16"), ("JPEG", "CMYK")]
)
def test_pictures_of_every_kind_of_pixel(editor: User, project: Project, format: str, mode: str) -> None:
    color: Any = (1, 2, 3, 4) if mode in ("RGBA", "CMYK") else 1
    assert add(editor, project, picture(format, mode, color=color)).status_code == 201


def test_a_pdf_figure_is_kept_and_its_first_page_shown(editor: User, project: Project, media: Path) -> None:
    made = add(editor, project, pdf(), "plot.pdf").json()
    assert (made["path"], made["media_type"]) == ("figures/plot.pdf", "application/pdf")
    for _ in range(2):
        shown = signed_in(editor).get(made["url"])
        assert shown.headers["Content-Type"] == "image/png"
        width, height = Image.open(BytesIO(shown.content)).size
        assert (width, height) == (1200, 600)
    assert len(stored(media)) == 2, "the drawing is kept"
    content = signed_in(editor).get(f"/api/projects/{project.pk}/files/{made['id']}/content")
    assert b"".join(content).startswith(b"%PDF")
    assert "attachment" in content.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("data", "name", "status", "says"),
    [
        (b"", "image.png", 422, "empty"),
        (b"\x89PNG\r\n\x1a\nbroken", "image.png", 422, "could not be read"),
        (b"MZ not a picture at all", "image.png", 422, "could not be read"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "a.svg", 422, "SVG"),
        (b"<?xml version='1.0'?><svg onload='x'/>", "image.png", 422, "SVG"),
        (picture(mode="1", size=(9000, 9000)), "image.png", 413, "million pixels"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_sentence(
    editor: User, project: Project, media: Path, data: bytes, name: str, status: int, says: str
) -> None:
    answer = add(editor, project, data, name)
    assert answer.status_code == status, answer.content
    assert says in answer.json()["error"]["message"]
    assert (ThesisFile.objects.count(), stored(media)) == (0, [])


def test_a_picture_larger_than_the_limit(editor: User, project: Project, settings: Settings) -> None:
    settings.UPLOAD_MAX_BYTES = 50
    answer = add(editor, project, picture())
    assert answer.status_code == 413
    assert "limit" in answer.json()["error"]["message"]


def test_a_damaged_pdf_is_not_shown(editor: User, project: Project) -> None:
    made = add(editor, project, b"%PDF-1.7 nothing follows", "plot.pdf").json()
    assert signed_in(editor).get(made["url"]).status_code == 404


def test_pictures_are_found_as_latex_finds_them(owner: User, project: Project) -> None:
    main = r"\documentclass{book}\graphicspath{{img/} {figs/deep/}}"
    ThesisFile.objects.create(project=project, path="tex/main.tex", is_main=True, pieces=[{"text": main}])
    one = store(project, owner, "tex/img/flow.png", picture())
    two = store(project, owner, "tex/figs/deep/plot.PDF", pdf())
    store(project, owner, "tex/data.csv", b"a,b")
    for named in ("flow", "flow.png", "img/flow.png", "./img/flow", "tex/img/flow.png", '"flow"'):
        assert find_picture(project, named) == one, named
    assert find_picture(project, "plot") == two
    for named in ("flo", "../tex/img/flow.png", "../../etc/passwd", "data.csv", "tex/data", "x" * 300):
        assert find_picture(project, named) is None, named


def test_only_pictures_are_served(editor: User, project: Project) -> None:
    for path, data in {
        "a.html": b"<script>alert(1)</script>",
        "a.svg": b"<svg/>",
        "a.eps": b"%!PS",
        "b.png": b"<html>",
    }.items():
        store(project, editor, path, data)
        address = reverse("sections:file_by_path", args=[project.pk, path])
        assert signed_in(editor).get(address).status_code == 404, path


def test_list_and_delete(
    editor: User, project: Project, media: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    made = add(editor, project, pdf(), "plot.pdf").json()
    client = signed_in(editor)
    client.get(made["url"])
    listed = client.get(f"/api/projects/{project.pk}/files").json()
    assert [(row["path"], row["url"]) for row in listed] == [("figures/plot.pdf", made["url"])]
    assert client.get(f"/api/projects/{project.pk}/files/{made['id']}").json()["sha256"] == made["sha256"]
    with django_capture_on_commit_callbacks(execute=True):
        assert client.delete(f"/api/projects/{project.pk}/files/{made['id']}").status_code == 204
    assert (stored(media), client.get(made["url"]).status_code) == ([], 404)


def test_a_file_with_sections_in_it_stays(owner: User, project: Project) -> None:
    section = Section.objects.first()
    file = ThesisFile.objects.create(project=project, path="c.tex", pieces=[{"section": str(section.pk)}])
    answer = signed_in(owner).delete(f"/api/projects/{project.pk}/files/{file.pk}")
    assert answer.status_code == 409
    assert "outline" in answer.json()["error"]["message"]
    assert signed_in(owner).get(f"/api/projects/{project.pk}/files/{file.pk}/content").status_code == 404


def test_bytes_go_with_the_thesis(
    owner: User, project: Project, media: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    add(owner, project, picture())
    with django_capture_on_commit_callbacks(execute=True):
        project.delete()
    assert stored(media) == []


def test_who_may(owner: User, project: Project, outsider: User, reader: User, supervisor: User) -> None:
    made = add(owner, project, picture()).json()
    one = f"/api/projects/{project.pk}/files/{made['id']}"
    content = signed_in(reader).get(f"{one}/content")
    assert content.status_code == 200
    assert content.getvalue()
    assert signed_in(outsider).get(f"{one}/content").status_code == 404
    for address in (made["url"], one, f"/api/projects/{project.pk}/files"):
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(reader).get(address).status_code == 200
        assert signed_in(owner).put(address).status_code == 405
    assert add(outsider, project, picture()).status_code == 404
    for member in (reader, supervisor):
        assert add(member, project, picture()).status_code == 403
        assert signed_in(member).delete(one).status_code == 403
    assert signed_in(outsider).delete(one).status_code == 404
    assert signed_in(owner).post(made["url"]).status_code == 405
