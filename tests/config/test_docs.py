"""What is written about Scholium stays true: settings, dependencies, commands, and no trace of where it was made."""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.environment import SECRETS, SETTINGS

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK_FILES = ("requirements.txt", "requirements-dev.txt")
# Assembled, so that this file does not name what no file may name.
REGISTRIES = [f"{name}.{end}" for name, end in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"))]
REGISTRIES += [f"{name}.{end}" for name, end in (("npmjs", "com"), ("yarnpkg", "com"), ("deb.debian", "org"))]
SOMEONES_FOLDER = re.compile(r"(?<![\w.:/])/(?:home|root|Users|work|workspace)/\w")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def table(path: str) -> dict[str, str]:
    """The tables of a document: what stands as code in the first cell, and the rest of its row."""
    return dict(re.findall(r"^\| `([^`]+)` \|(.*)\|$", text(path), re.MULTILINE))


def written_files() -> Iterator[tuple[str, str]]:
    """Each text file that is, or would be, in the repository: its path and content."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file():
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # a picture or a document


def distribution(requirement: str) -> str:
    """ "django-stubs[compatible-mypy]>=5.2" is called "django-stubs"."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return found[0].lower()


def declared() -> dict[str, set[str]]:
    """The dependencies by the lock file that has to hold them, and those of the front end."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    front_end = json.loads(text("package.json"))
    run = {distribution(line) for line in project["dependencies"]}
    dev = {distribution(line) for line in project["optional-dependencies"]["dev"]}
    return {
        "requirements.txt": run,
        "requirements-dev.txt": run | dev,
        "package-lock.json": set(front_end.get("dependencies", {})) | set(front_end.get("devDependencies", {})),
    }


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*## ", text("Makefile"), re.MULTILINE))


def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    assert set(table("docs/settings.md")) == SETTINGS


def test_every_secret_is_documented_as_one() -> None:
    assert {name for name, row in table("docs/settings.md").items() if "*Secret.*" in row} == SECRETS


def test_the_listed_settings_are_the_ones_read() -> None:
    read = re.findall(r'\b(?:env(?:\.\w+)?|secret)\(\s*"([A-Z][A-Z0-9_]*)"', text("config/settings.py"))
    assert set(read) == SETTINGS


def test_every_dependency_says_what_it_is_for() -> None:
    """DESIGN decision 11: each dependency earns a line in docs/dependencies.md."""
    assert set(table("docs/dependencies.md")) == set().union(*declared().values())


@pytest.mark.parametrize("lock_file", LOCK_FILES)
def test_every_locked_package_has_hashes(lock_file: str) -> None:
    entries = re.split(r"\n(?=\S)", re.sub(r"^\s*#.*\n", "", text(lock_file), flags=re.MULTILINE).strip())
    without = [entry.split()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry]
    assert entries
    assert not without


@pytest.mark.parametrize("lock_file", LOCK_FILES)
def test_every_dependency_is_locked(lock_file: str) -> None:
    locked = {distribution(line) for line in text(lock_file).splitlines() if "==" in line}
    assert declared()[lock_file] <= locked


def test_the_front_end_is_locked_without_addresses() -> None:
    lock = json.loads(text("package-lock.json"))
    assert declared()["package-lock.json"] == {*lock["packages"][""].get("dependencies", {})} | {
        *lock["packages"][""].get("devDependencies", {})
    }
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert not [name for name, package in lock["packages"].items() if name and "integrity" not in package]


def test_no_file_names_a_registry() -> None:
    """A machine brings its own addresses of package registries; ours would break those that have others."""
    assert not [(name, host) for name, content in written_files() for host in REGISTRIES if host in content]


def test_no_file_names_a_folder_of_someones_machine() -> None:
    found = ((name, SOMEONES_FOLDER.search(content)) for name, content in written_files())
    assert not [(name, match[0]) for name, match in found if match]


def test_the_readme_is_short_and_gives_both_commands() -> None:
    readme = text("README.md")
    assert len(readme.splitlines()) < 120
    assert re.search(r"^    make run\b", readme, re.MULTILINE)
    assert re.search(r"^    make test\b", readme, re.MULTILINE)


def test_the_readme_names_the_targets_that_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b(?=[`\s]*(?:#|`|\|))", text("README.md")))
    assert named == make_targets() - {"help"}


def test_the_readme_names_every_room() -> None:
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert rooms <= {name.rstrip("/") for name in re.findall(r"`([a-z]+/)`", text("README.md"))}
