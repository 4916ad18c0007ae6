"""Chapters of a thesis are read for the visual editor, edited at random, and written again (SPEC T2)."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.figure import Figure

ROOT = Path(__file__).parents[2]
SCRIPT = "static/src/latex/benchmark.ts"
CHAPTER, LONG = 50.0, 50.0  # milliseconds


def measured() -> dict[str, Any]:
    """What `measure.ts` says of the chapters in tests/corpus."""
    with tempfile.TemporaryDirectory(prefix="scholium-editing-") as folder:
        bundle = str(Path(folder) / "measure.mjs")
        built = ["node_modules/.bin/esbuild", SCRIPT, "--bundle", "--platform=node", "--format=esm"]
        subprocess.run([*built, f"--outfile={bundle}", "--log-level=warning"], cwd=ROOT, check=True)
        said = subprocess.run(["node", bundle], cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def measure() -> list[Figure]:
    found = measured()
    chapters, edits = found["chapters"], found["edits"]
    corpus = f"{chapters} chapters of {found['lines']:,} lines"
    lost, spread = chapters - found["same"], edits - found["kept"]
    return [
        Figure(
            "chapters read and written again with a difference", 100 * lost / chapters, "%", 0, f"{lost} of {corpus}"
        ),
        Figure(
            "single edits that changed more than their block",
            100 * spread / edits,
            "%",
            0,
            f"{found['kept']:,} of {edits:,} changed exactly that and are read again as made",
        ),
        Figure("a chapter is read, median", found["median"], "ms", CHAPTER, f"at most {found['most']:.1f} ms"),
        Figure("a chapter of 300 paragraphs is read", found["long"], "ms", LONG, f"{found['characters']:,} characters"),
    ]
