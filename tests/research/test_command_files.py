"""manage.py research --file: a file that cannot be read does not stop the run, a path that is none does (X8, X10)."""

import json
from io import StringIO
from pathlib import Path

import openpyxl
import pytest
from django.core.management import CommandError, call_command

from contextfiles.models import ContextFile
from research.models import Run
from tests.contextfiles.make_files import pdf
from tests.research.forest_thesis import QUESTION

PAGE = [
    "Red alder was planted beside Douglas-fir on 14 plots in 2003.",
    "Total soil nitrogen rose from 0.21% to 0.34% on plots with red alder.",
    "Mean height of Douglas-fir was 11.4 m next to red alder and 9.8 m without red alder.",
]
BROKEN = {
    "garbage": (b"this is no PDF at all", "is named like a PDF, but is not one"),
    "truncated": (pdf(PAGE)[:200], "This PDF is damaged"),
    "empty": (b"", "broken.pdf is empty"),
}


def files(folder: Path) -> list[str]:
    (folder / "a.pdf").write_bytes(pdf(PAGE))
    book = openpyxl.Workbook()
    book.active.append(["plot", "soil nitrogen under red alder, %"])
    book.active.append(["North", 0.34])
    book.save(folder / "b.xlsx")
    return ["--file", str(folder / "a.pdf"), "--file", str(folder / "b.xlsx")]


def test_a_broken_file_is_counted_and_the_rest_goes_on(db: None, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"this is no PDF at all")
    chosen = [*files(tmp_path), "--file", str(tmp_path / "broken.pdf")]
    words = ["research", QUESTION, "--profile", "local-only", *chosen, "--format", "json"]
    call_command(*words, stdout=(out := StringIO()), stderr=StringIO())
    run = json.loads(out.getvalue())
    assert run["context_processing"] == {"status": "partial", "files_total": 3, "files_ready": 2, "files_error": 1}
    told = Run.objects.get().job.events.values_list("text", flat=True)  # as they are printed
    why = "Context file 3 of 3, broken.pdf, could not be read: broken.pdf is named like a PDF"
    assert any(text.startswith(why) for text in told)
    cited = {source for finding in run["findings"] for source in finding["source_ids"]}
    assert any(source.startswith("a.pdf::S") for source in cited)
    assert "a.pdf. Uploaded file" in run["report"].rpartition("## References")[2]


@pytest.mark.parametrize("how", BROKEN)
def test_all_files_broken_and_nothing_else_to_search(db: None, tmp_path: Path, how: str) -> None:
    data, why = BROKEN[how]
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(data)
    with pytest.raises(CommandError, match="There is nothing to search") as ended:
        call_command("research", QUESTION, "--profile", "local-only", "--file", str(broken), "--file", str(broken))
    assert ended.value.returncode == 1
    run = Run.objects.get()
    assert run.context_processing == {"status": "unusable", "files_total": 1, "files_ready": 0, "files_error": 1}
    events = dict(run.job.events.values_list("kind", "text"))
    assert why in events["context_binding_parsing_file_completed"]
    assert events["context_binding_parsing_completed"] == "No usable context: none of the files could be read."


@pytest.mark.parametrize("name", ["absent.pdf", "", "x" * 3_000 + ".pdf"])
def test_a_path_that_is_none_is_bad_usage(db: None, tmp_path: Path, name: str) -> None:
    """Exit 2 with the path; nothing was begun or brought in, whatever stands before it."""
    path = str(tmp_path / name)
    with pytest.raises(CommandError) as refused:
        call_command("research", QUESTION, *files(tmp_path), "--file", path)
    assert refused.value.returncode == 2
    assert path in str(refused.value)
    assert not Run.objects.exists()
    assert not ContextFile.objects.exists()
