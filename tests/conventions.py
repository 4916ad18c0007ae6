"""The checks of names and sizes that `make check` runs besides the linters: `python -m tests.conventions`.

Each finding is one line, `path:line: what is wrong, and why`. The exit code is 1 if there are findings.
"""

import ast
import builtins
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 400
MOST_LETTERS = 120
SOURCES = (".py", ".ts", ".css", ".R", ".mjs")
# Tables that are read as a list and not as code: words, real works, labelled pairs.
DATA = (
    "text/related_words.py",
    "text/synonyms.py",
    "text/vocabulary.py",
    "tests/llm/pairs",
    "tests/analysis/asked_questions.py",
    "tests/corpus/",
)
# Words that do not make a name on their own: participles and verbs that leave open what is told, kept or made. Readers
# who knew Django and the field could not guess from them what a function or module does.
VAGUE = frozenset(
    [
        "apart",
        "asked",
        "begun",
        "behind",
        "beside",
        "bring",
        "bringing",
        "brought",
        "came",
        "carried",
        "coming",
        "does",
        "gone",
        "heard",
        "held",
        "keeping",
        "keeps",
        "kept",
        "laid",
        "lay",
        "lent",
        "looking",
        "made",
        "mended",
        "mending",
        "one",
        "purse",
        "putting",
        "said",
        "saying",
        "says",
        "shelf",
        "showing",
        "spelt",
        "taken",
        "taking",
        "tell",
        "telling",
        "tells",
        "telt",
        "thing",
        "told",
    ]
)
WHY = {
    "size": f"over {MOST_LINES} lines; split it along its meaning, or list it under DATA if it is data",
    "line": f"over {MOST_LETTERS} letters; break it",
    "raises": "is no exception of the project or of Python; name the one that is raised",
    "vague": 'says how it felt, not what it is; name the thing or the action, as in "progress", "accept", "render"',
}


def files() -> list[str]:
    """Return the tracked source files that people write, as paths from the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [
        path
        for path in listed.splitlines()
        if path.endswith(SOURCES) and "/migrations/" not in path and (ROOT / path).is_file()
    ]


def sizes(path: str, text: str) -> Iterator[str]:
    """Yield a finding if a file has too many lines, and for each line that is too long (ruff checks Python)."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES and not path.startswith(DATA):
        yield f"{path}:1: {len(lines)} lines, {WHY['size']}"
    if not path.endswith(".py"):
        for number, line in enumerate(lines, start=1):
            if len(line) > MOST_LETTERS:
                yield f"{path}:{number}: {len(line)} letters, {WHY['line']}"


def vague(name: str) -> bool:
    """Return whether `name` consists of vague words and prepositions only."""
    words = [word for word in re.split(r"[_\W]+|(?<=[a-z])(?=[A-Z])", name.strip("_")) if word]
    return all(word.lower() in VAGUE | {"of", "to", "in", "by", "for", "it"} for word in words) and bool(words)


def names(path: str, text: str) -> Iterator[str]:
    """Yield a finding if the name of a module is vague, and for each of its functions and classes with a vague name."""
    if vague(Path(path).stem.removeprefix("test_").removesuffix(".test")):
        yield f"{path}:1: the name of this file {WHY['vague']}"
    if path.endswith(".py"):
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and vague(node.name):
                yield f"{path}:{node.lineno}: {node.name} {WHY['vague']}"


@cache
def exceptions() -> frozenset[str]:
    """Return the names of all classes that may be raised: of the project, of Django and of Python."""
    django = ("Http404", "PermissionDenied", "ValidationError", "ImproperlyConfigured", "CommandError")
    found = {*django, "CalledProcessError", "TimeoutExpired", *dir(builtins)}
    for path in files():
        if path.endswith(".py"):
            found.update(re.findall(r"^\s*class (\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))
    return frozenset(found)


def raises(path: str, text: str) -> Iterator[str]:
    """Yield a finding for each sentence on what is raised that names no known class."""
    if path.endswith(".py"):
        for sentence in re.finditer(r"\b[Rr]aises [A-Z][^.:;]*", text):
            for name in re.findall(r"(?:aises|or) ([A-Z][a-z]+(?:[A-Z]\w*)?)(?![\w-])", sentence[0]):
                if name not in exceptions():
                    yield f"{path}:{text[: sentence.start()].count(chr(10)) + 1}: {name} {WHY['raises']}"


def findings() -> list[str]:
    """Return the findings of all files, ordered by path."""
    return [
        finding
        for path in files()
        for text in [(ROOT / path).read_text(encoding="utf-8")]
        for looked in (sizes, names, raises)
        for finding in looked(path, text)
    ]


if __name__ == "__main__":
    found = findings()
    print(*found, sep="\n")  # noqa: T201
    sys.exit(1 if found else 0)
