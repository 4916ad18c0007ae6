"""Uploaded files that are also a dataset of the thesis, whose rows no language model may read (docs/privacy.md)."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from analysis.models import DatasetVersion
from projects.models import Project

TABLES = {"csv", "xlsx"}  # file formats in which another export of a dataset is recognised by its name


def files_that_are_data(project: Project, files: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the names of those `files`, {name, sha256, format}, that are also datasets of `project`.

    They have the same bytes, also as before columns were removed, or are tables with the same name apart from its
    extension. One query.
    """
    asked = list(files)
    if not asked:
        return []
    known = list(
        DatasetVersion.objects.filter(dataset__project=project)
        .exclude(sha256="")
        .values_list("sha256", "file_name", "reading__dropped")
    )
    contents = {sha256 for sha256, _, _ in known} | {
        one["sha256"] for _, _, dropped in known for one in dropped or [] if "sha256" in one
    }
    names = {_called(name) for _, name, _ in known}
    return [
        file["name"]
        for file in asked
        if file["sha256"] in contents or (file["format"] in TABLES and _called(file["name"]) in names)
    ]


def _called(name: str) -> str:
    """Return a file name without its extension, since a workbook becomes a CSV when columns are removed from it."""
    return PurePath(name.casefold()).stem
