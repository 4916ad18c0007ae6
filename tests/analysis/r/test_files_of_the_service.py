"""What holds for all files of the service at once; R is not asked."""

import re
from collections import Counter
from pathlib import Path

from analysis.r_client.local_service import PLUMBER

FILES = sorted((PLUMBER.parent / "R").rglob("*.R"))
# What makes R code of text, or runs what a text says.
EVALUATES = re.compile(r"\b(eval|parse|str2lang|str2expression|as\.formula|formula|system|shell)\s*\(")


def code_of(path: Path) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"|#.*', '""', path.read_text(encoding="utf-8"))


def test_no_name_is_given_twice() -> None:
    """All files share one place: the second would replace the first, and whoever uses that gets another function."""
    named = Counter(
        name for path in FILES for name in re.findall(r"^([A-Za-z][\w.]*) <- ", path.read_text(encoding="utf-8"), re.M)
    )
    assert [name for name, count in named.items() if count > 1] == []


def test_no_text_becomes_code() -> None:
    found = {(path.name, match[1]) for path in FILES for match in EVALUATES.finditer(code_of(path))}
    assert found == set()


def test_only_packages_that_are_installed_are_used() -> None:
    used = {name for path in FILES for name in re.findall(r"\b([A-Za-z][\w.]+)::", code_of(path))}
    base = {"stats", "utils", "graphics", "grDevices", "grid", "tools", "parallel", "methods", "splines"}
    setup = (PLUMBER.parent.parent / "setup").read_text(encoding="utf-8")
    installed = {name.lower() for name in re.findall(r"r-cran-([a-z0-9]+)", setup)}
    with_plumber = {"later", "promises", "httpuv"}
    assert {name for name in used - base - with_plumber if name.lower() not in installed} == set()


def test_the_container_has_what_the_setup_installs() -> None:
    setup = (PLUMBER.parent.parent / "setup").read_text(encoding="utf-8")
    setup = setup.partition("record_packages=")[0]  # what tests compare with is no part of the service
    wanted = set(re.findall(r"r-cran-[a-z0-9]+", setup))
    dockerfile = (PLUMBER.parent / "Dockerfile").read_text(encoding="utf-8")
    assert wanted == set(re.findall(r"(r-cran-[a-z0-9]+)=\S+", dockerfile))
