"""Manuscripts as values, and LaTeX run on what is made of them."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.thesis.make_thesis import png
from thesis.manuscript import Chapter, File, Manuscript, Work


def chapter(number: int, latex: str, title: str = "", slug: str = "") -> Chapter:
    return Chapter(f"id-{number}", number, slug or f"section-{number}", title or f"Section {number}", latex)


def work(key: str, tier: str = "A", **csl: Any) -> Work:
    whole = {
        "type": "article-journal",
        "title": f"A trial called {key}",
        "author": [{"family": key.capitalize(), "given": "Jane A."}],
        "container-title": "The Journal",
        "issued": {"date-parts": [[2020]]},
        "volume": "12",
        "issue": "3",
        "page": "1-9",
        "DOI": f"10.1/{key}_x",
    }
    return Work(key, {**whole, **csl}, tier, "not_found" if tier == "D" else "verified")


def picture(path: str, data: bytes = b"") -> File:
    data = data or png()
    return File(path, "picture", media_type="image/png", read=lambda: data)


def file(path: str, data: bytes, **columns: Any) -> File:
    return File(path, columns.pop("kind", "other"), read=lambda: data, **columns)


def native_manuscript(*latex: str, works: str = "ab", style: str = "vancouver", **columns: Any) -> Manuscript:
    """A thesis of these sections, numbered from 2 as introductions are, and a reference for each letter of `works`."""
    chapters = columns.pop("chapters", [chapter(number, text) for number, text in enumerate(latex, start=2)])
    made = [work(letter, "D" if letter in "de" else "A") for letter in works]
    return Manuscript(
        "Alder & soil", "Asha Menon", style, chapters, columns.pop("files", []), columns.pop("more", made), **columns
    )


def imported_manuscript(
    main: list[Any], files: Mapping[str, Any], chapters: list[Chapter], works: str = "ab", **columns: Any
) -> Manuscript:
    """A thesis brought as LaTeX: `main` and the lists in `files` hold texts and numbers of sections."""
    path, encoding = columns.pop("path", "main.tex"), columns.pop("encoding", "utf-8")
    rows = [File(path, "tex", True, _pieces(main), encoding)]
    for name, held in files.items():
        rows.append(file(name, held) if isinstance(held, bytes) else File(name, "tex", False, _pieces(held), encoding))
    return native_manuscript(works=works, chapters=chapters, files=rows, **columns)


def _pieces(held: list[Any]) -> list[dict[str, Any]]:
    return [{"section": f"id-{one}"} if isinstance(one, int) else {"text": one} for one in held]


def written(files: Mapping[str, bytes], folder: Path) -> Path:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def set_by_latex(files: Mapping[str, bytes], folder: Path, main: str = "main.tex") -> tuple[str, str]:
    """The text of the PDF that `latexmk -pdf` makes of `files`, and LaTeX's log. Fails where latexmk does."""
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed: what LaTeX makes of the project was not seen")
    written(files, folder)
    command = ["latexmk", "-norc", "-pdf", "-interaction=nonstopmode", main]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    stem = Path(main).stem
    log = (folder / f"{stem}.log").read_text(errors="replace")
    told = done.stdout.decode(errors="replace")[-3000:]
    assert done.returncode == 0, "\n".join(line for line in log.splitlines() if line.startswith("!")) + told
    return text_of(folder / f"{stem}.pdf"), log


def text_of(pdf: Path) -> str:
    from pypdfium2 import PdfDocument

    document = PdfDocument(pdf)
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())
