"""The migrations that have landed, by their hashes (migrations.json): what people have run is never edited.

    .venv/bin/python -m tests.upgrade.migrations

adds the hashes of migrations that are new. It changes and takes away none.
"""

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANDED = Path(__file__).parent / "migrations.json"

Hashes = dict[str, dict[str, str]]  # {app: {file: sha256}}


def landed(path: Path = LANDED) -> Hashes:
    return dict(json.loads(path.read_text()))


def present(root: Path = ROOT) -> Hashes:
    """The migrations of every app of ours, as they are in the tree."""
    found: Hashes = {}
    for path in sorted(root.glob("*/migrations/[!_]*.py")):
        # Whatever line ends git gives a file on this machine.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        found.setdefault(path.parts[-3], {})[path.name] = hashlib.sha256(text).hexdigest()
    return found


def problems(known: Hashes, here: Hashes) -> list[str]:
    """What is wrong with the migrations that are `here`, in sentences; nothing where they are as they landed."""
    said = []
    for app in sorted(known.keys() | here.keys()):
        before, now = known.get(app, {}), here.get(app, {})
        for name in sorted(before.keys() | now.keys()):
            place = f"{app}/migrations/{name}"
            if name not in now:
                said.append(f"{place} is gone. Databases have run it: put it back.")
            elif name not in before:
                said.append(
                    f"{place} is new. Once it is as it shall land: .venv/bin/python -m tests.upgrade.migrations"
                )
            elif before[name] != now[name]:
                said.append(
                    f"{place} was edited. Databases have run it as it was: undo that, and write a new migration."
                )
    return said


def add_new(path: Path = LANDED, root: Path = ROOT) -> list[str]:
    """Write the hashes of new migrations into `path`; their names."""
    known, added = landed(path) if path.exists() else {}, []
    for app, hashes in present(root).items():
        for name in sorted(hashes.keys() - known.get(app, {}).keys()):
            known.setdefault(app, {})[name] = hashes[name]
            added.append(f"{app}/migrations/{name}")
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return added


if __name__ == "__main__":
    sys.stdout.write("".join(f"{name}\n" for name in add_new()) or "No migration is new.\n")
