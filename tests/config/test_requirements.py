"""docs/requirements.md and docs/design.md say what is true:
ids that code names, names that exist, files that are there."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from config.environment import SETTINGS
from tests.config.test_docs import ROOT, text, written_files

ID = r"[RXCTVGNP]\d{1,2}"
CITED = re.compile(rf"SPEC,? ((?:(?:, | and | to |; )?{ID}\b)+)")
SOURCES = (".py", ".ts", ".R", ".html", ".css")


def requirements() -> dict[str, str]:
    """Each requirement by its id, with what stands right behind the id."""
    return dict(re.findall(rf"^\*\*({ID})\*\* (.*)$", text("docs/requirements.md"), re.MULTILINE))


def test_every_requirement_that_is_named_exists() -> None:
    known = requirements()
    assert len(known) > 70
    named = (
        (name, one)
        for name, content in written_files()
        if name.endswith(SOURCES)
        for ids in CITED.findall(content)
        for one in re.findall(ID, ids)
    )
    assert not [(name, one) for name, one in named if one not in known]


def test_every_requirement_has_a_test_or_is_marked_not_built() -> None:
    tested: set[str] = set()
    for name, content in written_files():
        if name.startswith("tests/") or name.endswith(".test.ts"):
            tested.update(re.findall(rf"\b{ID}\b", content))
    marked = {one for one, words in requirements().items() if words.startswith("*Not built yet")}
    assert requirements().keys() - tested - marked == set()


def planned(heading: str) -> set[str]:
    found = re.search(rf"^- {heading}: (.*?)(?=^- |^$)", text("docs/design.md"), re.MULTILINE | re.DOTALL)
    assert found, heading
    return set(re.findall(r"`([^`]+)`", found[1]))


def part(begin: str, end: str) -> str:
    design = text("docs/design.md")
    return design[design.index(begin) : design.index(end)]


def test_the_settings_of_the_design_exist_or_are_planned() -> None:
    named = set(
        re.findall(r"\b[A-Z][A-Z0-9]*(?:_(?:[A-Z0-9]+|<ROLE>))+", part("**Settings (environment)**", "**Commands**"))
    )
    named -= {"NAME_FILE", "LLM_ENGINE_<ROLE>", "LLM_MODEL_<ROLE>"}
    built = {name for name in named if name in SETTINGS}
    assert named - built == planned("Settings") - {"LLM_ENGINE_<ROLE>"}


def test_the_commands_of_the_design_exist_or_are_planned() -> None:
    rows = re.findall(r"^\| ([a-z_]+)(.*?)\|", part("| command | does |", "Commands act as"), re.MULTILINE)
    named = {first for first, _ in rows if first != "command"}
    named |= {more for _, rest in rows for more in re.findall(r"[,;] ([a-z]+(?:_[a-z]+)*)", rest)}
    missing = {name for name in named if name not in get_commands()}
    assert missing == planned("Commands")


def test_the_apps_of_the_design_exist_or_are_planned() -> None:
    named = set(re.findall(r"^(?:\d |  ) ([a-z]+/)  ", part("## Layers", "## How one request"), re.MULTILINE))
    missing = {name for name in named if not (ROOT / name / "__init__.py").exists()}
    assert missing == planned("Apps")


FOLDERS = "|".join(
    ["docs", "tests", "docker", "static", "templates", *(path.parent.name for path in ROOT.glob("*/apps.py"))]
)
POINTER = re.compile(rf"(?<![\w./-])((?:{FOLDERS})/[\w./-]*\w\.(?:md|py|ts|R|typ|txt|html|json))\b")
INVENTED = ("tests/upgrade/test_migrations.py", "tests/config/test_make.py")  # they make files that nobody has


def test_nothing_points_at_a_file_that_is_not_there() -> None:
    """Comments, docstrings and documents name files of this repository by their path, decisions by their name."""
    documents = {path.name for path in (ROOT / "docs").rglob("*.md")} | {"README.md", "CHANGELOG.md"}
    lost = [
        (name, pointer)
        for name, content in written_files()
        if name.endswith((*SOURCES, ".md")) and name != "CHANGELOG.md" and "/corpus/" not in name
        for pointer in POINTER.findall(content)
        if name not in INVENTED
        and not any((folder / pointer).exists() for folder in (ROOT, ROOT / "templates"))
        and "APP" not in pointer
    ]
    lost += [
        (name, document)
        for name, content in written_files()
        if name.endswith((".py", ".R", ".css")) and not name.startswith("tests/")
        for line in content.splitlines()
        if "(" in line
        for document in re.findall(r"\(([a-z-]+\.md)\b", line)
        if document not in documents
    ]
    modules = {path.name for path in ROOT.glob("*/**/*.py")}
    named = re.findall(r"`(?:[\w/]+/)?(\w+\.py)`", text("docs/architecture.md"))
    lost += [("docs/architecture.md", name) for name in named if name not in modules | {"test_ACTION.py"}]
    assert not lost


@pytest.mark.parametrize(
    "path", sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]), ids=lambda path: path.name
)
def test_links_of_documents_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", re.sub(r"`[^`\n]+`", "", path.read_text(encoding="utf-8")))
    assert not [link for link in links if not (path.parent / link).exists()]
