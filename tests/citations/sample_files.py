"""Stored files with references in them, and what the pages make of them."""

import hashlib
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.urls import reverse

from contextfiles.models import ContextFile
from projects.models import Project

ALDER = """@article{menon2021,
  title = {Alder and soil},
  author = {Menon, Asha},
  year = 2021,
  doi = {10.1000/alder},
  pmid = {321}
}
"""
BIRCH = "@book{lund2020, title = {Birch}, author = {Lund, Oskar}, year = 2020, publisher = {Wood Press}}\n"
BROKEN = "@article{broken, title = {Never closed,\n year = 2020\n"
CEDAR = "@misc{cedar, title = {Cedar}, author = {Vidal, Rosa}, year = 2019}\n"
FOUR = ALDER + BIRCH + BROKEN + CEDAR  # three that can be read; the broken one begins in line 9


def stored(project: Project, text: str | bytes = FOUR, name: str = "refs.bib") -> ContextFile:
    """A file of the thesis as an upload leaves it: stored, and nothing read."""
    data = text.encode() if isinstance(text, str) else text
    file = ContextFile(
        project=project,
        name=name,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        format=name.rpartition(".")[2],
        uploaded_by=project.owner,
    )
    file.blob.save(name, ContentFile(data), save=False)
    file.save()
    return file


def page(file: ContextFile, act: str = "entries") -> str:
    """The address of the entries of `file`, or of something that is done with them."""
    return reverse(f"citations:{act}", args=[file.project_id, file.pk])


def api(file: ContextFile, act: str = "") -> str:
    return f"/api/projects/{file.project_id}/context-files/{file.pk}/entries{act}"


def readings(media: Path) -> list[Path]:
    """What was read of files, as it lies on the disk."""
    return sorted((media / "entries").rglob("*.json")) if (media / "entries").exists() else []


def long_text(size: int = 1_100_000) -> str:
    """A BibTeX file of more than `size` bytes that is read in a moment."""
    note = "Forty plots were measured. " * 300
    entry = f"@misc{{k%d, title = {{Work %d}}, year = 2020, abstract = {{{note}}}}}\n"
    return "".join(entry % (number, number) for number in range(size // len(note) + 1))


def json_of(answer: Any) -> Any:
    assert answer.status_code == 200, answer.content
    return answer.json()
