"""Uploaded files that are also a dataset of the thesis: no model reads their rows (docs/privacy.md)."""

from collections.abc import Iterable, Mapping

from analysis.models import DatasetVersion
from projects.models import Project

TABLES = {"csv", "xlsx"}  # formats of uploaded files; another export of a dataset is told by its name


def also_data(project: Project, files: Iterable[Mapping[str, str]]) -> list[str]:
    """The names of those of `files`, {name, sha256, format}, that are also data of `project`: the same bytes, or a table of
    the same name. One query.
    """
    asked = list(files)
    if not asked:
        return []
    rows = DatasetVersion.objects.filter(dataset__project=project).exclude(sha256="")
    known = list(rows.values_list("sha256", "file_name"))
    contents, names = {sha256 for sha256, _ in known}, {name.casefold() for _, name in known}
    return [
        file["name"]
        for file in asked
        if file["sha256"] in contents or (file["format"] in TABLES and file["name"].casefold() in names)
    ]
