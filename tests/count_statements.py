"""The number of Python statements of each app: `python -m tests.count_statements [REVISION ...]`.

A statement is an `ast.stmt` node, so comments, docstrings and line breaks do not count. Migrations are left out. The
revisions are counted as git has them, next to the working tree.
"""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_THE_APPLICATION = {"tests", "docker", "docs", "static", "templates"}


def git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def is_counted(path: str) -> bool:
    app, _, rest = path.partition("/")
    return path.endswith(".py") and bool(rest) and app not in NOT_THE_APPLICATION and "/migrations/" not in path


def statements(source: str) -> int:
    """Return the number of statements in `source`, docstrings not counted."""
    nodes = list(ast.walk(ast.parse(source)))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = sum(isinstance(node, documented) and ast.get_docstring(node) is not None for node in nodes)
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def count(revision: str = "") -> Counter[str]:
    """Return the number of statements of each app, in the working tree or at a git revision."""
    listed = git("ls-tree", "-r", "--name-only", revision) if revision else git("ls-files")
    counts: Counter[str] = Counter()
    for path in filter(is_counted, listed.splitlines()):
        source = git("show", f"{revision}:{path}") if revision else (ROOT / path).read_text(encoding="utf-8")
        counts[path.partition("/")[0]] += statements(source)
    return counts


def main(revisions: list[str]) -> None:
    columns = {**{revision: count(revision) for revision in revisions}, "now": count()}
    apps = sorted(set().union(*columns.values()))
    print("app".ljust(16), *(name[:12].rjust(12) for name in columns))  # noqa: T201
    for app in apps:
        print(app.ljust(16), *(f"{counts[app]:12,}" for counts in columns.values()))  # noqa: T201
    print("all".ljust(16), *(f"{counts.total():12,}" for counts in columns.values()))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
