"""Taking a run along in every format (SPEC R14, DESIGN "Commands")."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pypandoc
import pypdfium2
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from docx import Document as open_docx

from core.errors import Refused
from projects.models import Project, User
from research.export.bibliography import Choice
from research.export.export import FORMATS, export, export_options
from research.models import Run
from research.report.document import read_report, text_of
from research.settings_checks import check_export_format
from tests.people import signed_in
from tests.research.finished_run import finished, owner, project, run
from tests.research.forest_thesis import researched

__all__ = ["finished", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

SLUG = "how-does-planting-red-alder-change-soil-nitrogen-and-the"


def words_of_pdf(body: bytes) -> str:
    pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(body)]
    return " ".join(" ".join(pages).replace("\ufffe", "").split())


def words_of_docx(body: bytes, folder: Path) -> str:
    path = folder / "report.docx"
    path.write_bytes(body)
    return " ".join(pypandoc.convert_file(str(path), "plain", extra_args=["--wrap=none", "--standalone"]).split())


def sentences(run: Run) -> list[str]:
    """Words of the report that every format of it has to have."""
    document = read_report(run.report)
    listed = [text_of(block["c"][1][0]["c"]) for block in document.blocks if block["t"] == "Div"]
    assert listed
    return [text_of(document.title), text_of(document.note[0]["c"]), *(line.split("\u2002")[1] for line in listed)]


# The report


def test_the_pdf_holds_the_report_its_label_and_page_numbers(run: Run) -> None:
    made = export(run, "pdf")
    assert (made.content_type, made.body[:5]) == ("application/pdf", b"%PDF-")
    said = words_of_pdf(made.body).replace("- ", "-")
    for sentence in sentences(run):
        assert sentence[:40] in said or sentence[:40].replace("- ", "-") in said
    assert "0.34%" in said
    assert f"Scholium. {run.engine}" in said
    assert "1 of " in said
    document = pypdfium2.PdfDocument(made.body)
    assert document.get_metadata_value("Title") == run.title
    assert "References" in [bookmark.get_title() for bookmark in document.get_toc()]


def test_the_word_file_holds_the_report_its_label_and_styles(run: Run, tmp_path: Path) -> None:
    made = export(run, "docx")
    said = words_of_docx(made.body, tmp_path)
    for sentence in sentences(run):
        assert " ".join(sentence.split())[:60] in said
    word = open_docx(io.BytesIO(made.body))
    styles = [paragraph.style.name for paragraph in word.paragraphs if paragraph.style]
    assert styles[:2] == ["Title", "Subtitle"]
    assert word.core_properties.title == run.title
    assert {"Reference", "Method", "Heading 1"} <= set(styles)
    assert run.engine in word.sections[0].footer.paragraphs[0].text


@pytest.mark.parametrize("name", ["pdf", "docx"])
def test_the_same_report_gives_the_same_file(run: Run, name: str) -> None:
    assert export(run, name).body == export(run, name).body


HOSTILE = """# A `#read("/etc/passwd")` *title*

> Note #set page()

## One

#import "@preview/x:1.0.0" $1+1$ @ref #eval("1") \\input{x} {{x}} <b>b</b> &amp; `#x` 漢字 [1]

```{=openxml}
<w:p/>
```

![x](/etc/passwd)

| a #b | $c |
|---|---|
| [1] | \\end |

## References

[1] #panic("no") https://example.org/a_b?c=d&e=%20#f
"""


@pytest.mark.parametrize("name", ["pdf", "docx"])
def test_words_of_others_stay_words(run: Run, name: str, tmp_path: Path) -> None:
    """R18: nothing in a report is code of what sets it, reads a file, or fetches a package."""
    Run.objects.filter(pk=run.pk).update(report=HOSTILE)
    run.refresh_from_db()
    body = export(run, name).body
    said = words_of_pdf(body) if name == "pdf" else words_of_docx(body, tmp_path)
    for literal in (
        '#read("/etc/passwd")',
        '#import "@preview/x:1.0.0"',
        "$1+1$",
        '#eval("1")',
        '#panic("no")',
        "<b>b</b>",
    ):
        assert literal in said.replace("“", '"').replace("”", '"'), literal
    assert "root:" not in said


@pytest.mark.long
def test_a_long_report_takes_less_than_a_second_or_so(run: Run) -> None:
    """A page's request makes it; the bound here is loose, since other tests run beside this one."""
    paragraph = "Total soil nitrogen rose from 0.21% to 0.34% on plots with *red alder* [1]. " * 12 + "\n\n"
    listed = "".join(f"[{n}] Ng, A. ({1900 + n}). Title {n}. https://doi.org/10.5555/{n}\n\n" for n in range(1, 101))
    report = f"# T\n\n> Note\n\n## One\n\n{paragraph * 60}## References\n\n{listed}"
    Run.objects.filter(pk=run.pk).update(report=report)
    run.refresh_from_db()
    assert export(run, "pdf").body
    assert export(run, "docx").body


# Files


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_a_file_with_a_name_that_tells(run: Run, owner: User, name: str) -> None:
    answers = [
        signed_in(owner).get(reverse("research:export", args=[run.pk, name])),
        signed_in(owner).get(f"/api/runs/{run.pk}/export", {"format": name}),
    ]
    for answer in answers:
        assert answer.status_code == 200
        assert answer["Content-Type"] == FORMATS[name].content_type
        assert answer["Content-Disposition"] == f'attachment; filename="{SLUG}{FORMATS[name].suffix}"'
        assert answer.content


def test_a_title_in_another_script_still_names_its_file(run: Run) -> None:
    run.title = "赤い榛の木"
    assert export(run, "md").file_name == f"research-{str(run.pk)[:8]}.md"


def test_the_works_of_a_bibliography_can_be_chosen(run: Run, owner: User) -> None:
    client = signed_in(owner)
    page = reverse("research:export", args=[run.pk, "bibtex"])
    cited = client.get(page)
    assert b"rossi1999" not in cited.content
    for answer in (
        client.get(page, {"all": "1", "academic": "1"}),
        client.get(f"/api/runs/{run.pk}/export", {"format": "bibtex", "all": "1", "academic": "1"}),
    ):
        assert b"@book{rossi1999" in answer.content
        assert answer["Content-Disposition"].endswith(f'{SLUG}-all-academic.bib"')


def test_the_site_s_format_is_the_default(run: Run, owner: User, settings: LazySettings) -> None:
    address = f"/api/runs/{run.pk}/export"
    assert signed_in(owner).get(address).content.decode() == run.report
    settings.RESEARCH_EXPORT_FORMAT = "ris"
    assert signed_in(owner).get(address).content.startswith(b"TY  - JOUR")
    assert check_export_format() == []
    settings.RESEARCH_EXPORT_FORMAT = "exe"
    assert signed_in(owner).get(address).content.decode() == run.report
    (fault,) = check_export_format()
    assert "exe" in fault.msg
    assert "md, docx" in str(fault.hint)


def test_the_page_offers_the_formats_of_the_profile_first(run: Run, owner: User, settings: LazySettings) -> None:
    run.profile_config = {**run.profile_config, "export_formats": ["ris", "pdf", "provenance"]}
    offers = export_options(run)
    assert [name for name, _ in offers["works"]] == ["ris", "bibtex", "csl"]
    assert [name for name, _ in offers["report"]] == ["pdf", "md", "docx"]
    assert [name for name, _ in offers["data"]] == ["provenance", "structured", "json"]
    settings.RESEARCH_EXPORT_FORMAT = "pdf"
    page = signed_in(owner).get(reverse("research:sources", args=[run.pk])).content.decode()
    assert f'class="btn btn-primary" href="{reverse("research:export", args=[run.pk, "pdf"])}"' in page
    for name in FORMATS:
        assert reverse("research:export", args=[run.pk, name]) in page


# What cannot be


def test_a_run_without_a_report_gives_what_it_has(project: Project, owner: User) -> None:
    run = researched(project, owner, "What did the Vikings eat at sea?", file_ids=[])
    assert not run.has_report
    for name in ("md", "pdf", "docx", "bibtex"):
        with pytest.raises(Refused) as refused:
            export(run, name)
        assert refused.value.status == 409
    for name in ("structured", "provenance", "json"):
        assert json.loads(export(run, name).body)
    assert export(run, "ris", Choice(everything=True)).body == b""
    client = signed_in(owner)
    assert client.get(f"/api/runs/{run.pk}/export", {"format": "pdf"}).status_code == 409
    assert client.get(reverse("research:export", args=[run.pk, "pdf"])).status_code == 404
    page = client.get(reverse("research:sources", args=[run.pk])).content.decode()
    assert reverse("research:export", args=[run.pk, "pdf"]) not in page
    assert '<input type="hidden" name="all" value="1">' in page


def test_strangers_and_wrong_methods(run: Run, owner: User, outsider: User, client: Client) -> None:
    page, api = reverse("research:export", args=[run.pk, "pdf"]), f"/api/runs/{run.pk}/export?format=pdf"
    assert [signed_in(outsider).get(address).status_code for address in (page, api)] == [404, 404]
    assert [client.get(address).status_code for address in (page, api)] == [302, 401]
    assert [signed_in(owner).post(address).status_code for address in (page, api)] == [405, 405]
    unknown = signed_in(owner).get(f"/api/runs/{run.pk}/export?format=exe")
    assert unknown.status_code == 400
    assert "md, docx, pdf" in unknown.json()["error"]["message"]


# Commands


@pytest.mark.parametrize("name", ["md", "pdf", "docx", "csl"])
def test_the_command_writes_a_file(run: Run, name: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    call_command("export_run", str(run.pk), "--format", name, "--output", str(path))
    assert path.read_bytes() == export(run, name).body


def test_the_command_prints_text_and_sends_bytes_on(run: Run, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call_command("export_run", str(run.pk), stdout=(printed := io.StringIO()))
    assert printed.getvalue() == run.report
    call_command("export_run", str(run.pk), "--format", "pdf", stdout=sys.__stdout__)
    assert capfdbinary.readouterr().out == export(run, "pdf").body


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--format", "exe"], "md, docx, pdf"),
        (["--format", "pdf"], "--output"),
        (["--format", "md", "--all"], "bibtex, ris and csl"),
        (["--output", "/nowhere/at/all.md"], "does not exist"),
        (["--output", "/"], "is a folder"),
    ],
)
def test_bad_usage_is_said_before_anything_is_made(run: Run, words: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        call_command("export_run", str(run.pk), *words, stdout=Terminal())
    assert refused.value.returncode == 2


def test_the_research_command_knows_the_same_formats(project: Project, owner: User, tmp_path: Path) -> None:
    path, words = tmp_path / "out.ris", ["--project", str(project.pk), "--profile", "local-only"]
    question = "How does planting red alder change soil nitrogen?"
    told: Any = io.StringIO()
    call_command("research", question, *words, "--format", "ris", "--output", str(path), stderr=told)
    assert path.read_text().startswith("TY  - ")
    before = Run.objects.count()
    with pytest.raises(CommandError, match="--output"):
        call_command("research", question, *words, "--format", "docx", stdout=Terminal())
    assert Run.objects.count() == before
