"""The text of a file and the passage a finding points to (SPEC X1, R18)."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from contextfiles.ingest import mark_read
from contextfiles.models import ContextFile, FileText
from contextfiles.read_text import read
from contextfiles.text_view import WINDOW, text_page
from projects.models import Project, User
from tests.contextfiles.make_files import pdf, slides, stored, text_of, workbook
from tests.people import signed_in


def url(file: ContextFile) -> str:
    return reverse("contextfiles:file", args=[file.project_id, file.pk])


def bound(project: Project, name: str, data: bytes) -> ContextFile:
    file = stored(project, name, data)
    text_of(file)
    mark_read(file)
    return file


def test_a_file_that_was_never_read_says_so(owner: User, project: Project) -> None:
    page = signed_in(owner).get(url(stored(project))).content.decode()
    assert "This file has not been read yet." in page
    assert not FileText.objects.exists()


def test_a_file_that_could_not_be_read_says_why(owner: User, project: Project) -> None:
    file = stored(project)
    mark_read(file, "This PDF is damaged.")
    assert "This PDF is damaged." in signed_in(owner).get(url(file)).content.decode()


def test_text_is_shown_with_headings_pages_and_anchors(owner: User, project: Project) -> None:
    client = signed_in(owner)
    page = client.get(url(bound(project, "notes.md", b"# Soil\n\nDark.\n\n# Growth\n\nFast."))).content.decode()
    assert re.search(r"<h2>Soil</h2>\s*<p id=\"S1\">", page)
    assert "Dark." in page
    page = client.get(url(bound(project, "a.pdf", pdf(["One."], ["Two."])))).content.decode()
    assert "S2, page 2</a>" in page


def test_a_passage_is_marked_and_everything_is_escaped(owner: User, project: Project) -> None:
    text = "Before <script>alert(1)</script>.\nThe alder & soil\n\nsecond paragraph. After."
    file = bound(project, "notes.txt", text.encode())
    start, end = text.index("alder"), text.index(" After")
    page = signed_in(owner).get(url(file), {"start": start, "end": end}).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert 'The <mark id="passage">alder &amp; soil</mark>' in page
    assert "<mark>second paragraph.</mark> After." in page
    assert page.count('id="passage"') == 1


@pytest.mark.parametrize(
    "asked",
    [{"start": "x", "end": "5"}, {"start": "9", "end": "3"}, {"start": "900", "end": "901"}, {"start": "1" * 20}],
)
def test_addresses_that_mark_nothing_still_show_the_text(owner: User, project: Project, asked: dict[str, str]) -> None:
    answer = signed_in(owner).get(url(bound(project, "notes.txt", b"Alder.")), asked)
    assert answer.status_code == 200
    assert "<mark" not in answer.content.decode()


def test_long_texts_come_in_windows(owner: User, project: Project) -> None:
    paragraphs = [f"Paragraph {number}. " + "word " * 230 for number in range(200)]
    data = "\n\n".join(paragraphs).encode()
    file = bound(project, "long.txt", data)
    client = signed_in(owner)
    page = client.get(url(file)).content.decode()
    assert "Passages 1 to 60 of 200" in page
    assert 'href="?at=61" rel="next"' in page
    assert 'rel="prev"' not in page
    start = data.decode().index("Paragraph 150.")
    page = client.get(url(file), {"start": start, "end": start + 14}).content.decode()
    assert '<mark id="passage">Paragraph 150.</mark>' in page
    assert "Paragraph 10." not in page
    assert 'rel="prev"' in page
    assert "Passages 200 to 200" in client.get(url(file), {"at": 999}).content.decode()


@settings(deadline=None)
@given(st.text(min_size=1, max_size=3000), st.data())
def test_what_is_marked_is_what_was_asked_for(source: str, data: st.DataObject) -> None:
    raw = source.encode("utf-8", "ignore")
    if not source.strip() or b"\0" in raw or source.startswith("\ufeff"):
        return
    try:
        reading = read("txt", raw)
    except Exception:
        return
    rows = [
        {"id": s.id, "heading": s.heading, "page": s.page, "start": s.start, "end": s.end} for s in reading.segments
    ]
    text = FileText(text=reading.text, segments=rows)
    start = data.draw(st.integers(0, len(reading.text) - 1))
    end = data.draw(st.integers(start + 1, len(reading.text)))
    shown = text_page(text, mark=(start, end))
    pieces = [
        piece for passage in shown.passages for paragraph in passage.paragraphs for line in paragraph for piece in line
    ]
    covered = "".join("".join(piece.text.split()) for piece in pieces if piece.marked)
    assert covered == "".join(reading.text[start:end].split())
    assert len(shown.passages) <= WINDOW
    assert sum(piece.first for piece in pieces) == (1 if covered or any(p.marked and p.text for p in pieces) else 0)


def test_strangers(outsider: User, reader: User, owner: User, project: Project) -> None:
    file = bound(project, "notes.txt", b"Alder.")
    assert signed_in(reader).get(url(file)).status_code == 200
    assert signed_in(outsider).get(url(file)).status_code == 404
    assert Client().get(url(file)).status_code == 302
    assert signed_in(owner).post(url(file)).status_code == 405
    another = Project.objects.create_for(owner, title="Another")
    assert signed_in(owner).get(reverse("contextfiles:file", args=[another.pk, file.pk])).status_code == 404


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("a.xlsx", workbook(), "S1, sheet 1"),
        ("a.pptx", slides(), "S1, slide 1"),
        ("a.pdf", pdf(["Alder."]), "S1, page 1"),
    ],
)
def test_a_passage_says_where_it_stands(owner: User, project: Project, name: str, data: bytes, place: str) -> None:
    assert place in signed_in(owner).get(url(bound(project, name, data))).content.decode()
