"""Flow 20: a thesis is built, a broken table leads to its line while the old PDF stays,
and Word has what was written (SPEC T6)."""

import re
import shutil
from contextlib import closing
from typing import Any

import pypandoc
import pytest
from playwright.sync_api import Page, expect
from pypdfium2 import PdfDocument

from config.demo.install import HERE
from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow, Server
from tests.e2e.editor_pages import Desk, desk, headers
from tests.e2e.writing import ready

needs_tex = pytest.mark.skipif(
    shutil.which("latexmk") is None, reason="latexmk is not installed, so nothing is set by LaTeX"
)

ROW = r"Dexamethasone & 482 & 2\,104 \\"
BROKEN = r"Dexamethasone & 482 & 2\,104 & too many \\"
RESULTS = rf"""Estimates varied little between the trials.

\begin{{table}}
\caption{{Deaths by day 28.}}\label{{tab:deaths}}
\begin{{tabular}}{{lrr}}
Arm & Deaths & Patients \\
{ROW}
Usual care & 1\,110 & 4\,321 \\
\end{{tabular}}
\end{{table}}

Table~\ref{{tab:deaths}} has the deaths.
"""
LINE = RESULTS.split("\n").index(ROW) + 1


def written(made: Desk) -> list[str]:
    """Chapters of the demo thesis beside the results; their titles."""
    request, token = made.page.context.request, headers(made.page.context)
    titles = []
    for row in request.get(f"/api/projects/{made.project}/sections").json():
        if row["slug"] in ("introduction", "discussion"):
            text = (HERE / "chapters" / f"{row['slug']}.tex").read_text(encoding="utf-8")
            held = {**token, "If-Match": f'"{row["version"]}"'}
            expect(request.put(f"/api/sections/{row['id']}", data={"latex": text}, headers=held)).to_be_ok()
            titles.append(row["title"])
    return titles


def take_all_places(server: Server, project: str) -> None:
    """A heavy job takes all places: here that of the first build, which has ended."""
    with server.rows() as rows:
        first = "SELECT job_id FROM thesis_build WHERE project_id = ?"
        job = rows.execute(first, [project.replace("-", "")]).fetchone()[0]
        slot = "INSERT INTO jobs_computeslot (job_id, needs, places, asked_at, lease_until) VALUES (?, ?, ?, ?, ?)"
        rows.execute(slot, (job, 3, 3, "2026-01-01 00:00:00", "2126-01-01 00:00:00"))


def free_places(server: Server) -> None:
    with server.rows() as rows:
        rows.execute("DELETE FROM jobs_computeslot WHERE places = 3")


def plain(text: str) -> str:
    """`text` on one line, each blank a space."""
    return " ".join(text.split())


def text_of_pdf(data: bytes) -> str:
    with closing(PdfDocument(data)) as pdf:
        return plain(" ".join(page.get_textpage().get_text_bounded() for page in pdf))


def shows(page: Page, words: str) -> None:
    expect(page.locator("#built")).to_contain_text(words, timeout=PATIENT)


def pdf_of(page: Page) -> tuple[str, bytes]:
    """The address of the last good PDF, and its bytes."""
    address = page.locator("aside").get_by_role("link", name="Download the PDF").get_attribute("href") or ""
    return address, page.context.request.get(address).body()


@needs_tex
def test_a_broken_table_leads_to_its_line_and_the_old_pdf_stays(
    open_window: OpenWindow, server: Server, demo: Any
) -> None:
    made = desk(open_window, demo, RESULTS)
    titles = written(made)
    page, build = made.page, f"/projects/{made.project}/build/"

    # The first PDF, by the keyboard
    page.goto(build)
    expect(page.get_by_role("heading", name="Before you hand it in")).to_be_visible()
    page.keyboard.press("Control+Enter")
    shows(page, "The PDF is ready.")
    first = pdf_of(page)
    picture = page.get_by_alt_text("The first page of the PDF")
    page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=picture.element_handle())

    # A table is broken in the source, and built from there while no place is free
    page.evaluate("localStorage.setItem('scholium:view', 'source')")
    page.goto(f"{made.path}?line={LINE}")
    ready(page)
    take_all_places(server, made.project)
    page.keyboard.press("End")
    for _ in r" \\":
        page.keyboard.press("ArrowLeft")
    page.keyboard.type(" & too many")
    made.expect_latex(RESULTS.replace(ROW, BROKEN))
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{build}")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    shows(page, "It starts by itself.")
    assert serious(page) == []
    free_places(server)

    # Its error names the section and the line, and the old PDF is still there
    shows(page, "in “Results” could not be built.")
    assert pdf_of(page) == first
    expect(page.locator(".faults mark").first).to_contain_text("too many")
    assert serious(page) == []
    page.get_by_role("link", name=f"Go to line {LINE}").first.click()
    ready(page)
    page.wait_for_function(
        """line => {
          const editor = document.querySelector("section-editor");
          return editor.latex.slice(0, editor.caret.start).split("\\n").length === line;
        }""",
        arg=LINE,
    )

    # Repaired
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(ROW)
    made.expect_latex(RESULTS)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{build}")
    shows(page, "The PDF is ready.")
    address, pdf = pdf_of(page)
    assert address != first[0]
    printed = text_of_pdf(pdf)

    # As Word, which says the same
    page.get_by_role("button", name="Word", exact=True).click()
    shows(page, "The Word file is ready.")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the Word file").click()
    assert download.value.suggested_filename == "steroids-in-intensive-care.docx"
    word = plain(pypandoc.convert_file(download.value.path(), "plain", format="docx", extra_args=["--wrap=none"]))
    for words in [*titles, "Estimates varied little between the trials.", "Deaths by day 28."]:
        assert words in printed
        assert words in word
    assert "Dexamethasone 482 2 104" in word
    in_pdf, in_word = (re.findall(r"Table (\d+\.\d+) has the deaths\.", text) for text in (printed, word))
    assert len(in_pdf) == 1
    assert in_word == in_pdf
