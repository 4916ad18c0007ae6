"""References that say little are printed all the same, by the style that a thesis gets (SPEC T5)."""

import re
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.thesis.manuscripts import chapter, imported_manuscript, native_manuscript, work
from thesis.assembly.assemble import assemble
from thesis.assembly.bibtex_style import style_for

TYPES = (
    "article", "article-journal", "article-magazine", "book", "chapter", "dataset", "document", "entry-encyclopedia",
    "manuscript", "paper-conference", "patent", "report", "software", "speech", "standard", "thesis", "webpage",
)  # fmt: skip
LITTLE: tuple[dict[str, Any], ...] = (
    {"author": [], "issued": None},
    {"issued": None},
    {"author": []},
    {"publisher": "Central University", "genre": "PhD thesis", "volume": "2"},
)


def bibtex(files: dict[str, bytes], folder: Path, keys: list[str], style: str) -> str:
    for path, data in files.items():
        if path.endswith((".bib", ".bst")):
            (folder / path).write_bytes(data)
    cited = "".join(f"\\citation{{{key}}}\n" for key in keys)
    (folder / "main.aux").write_text(f"\\relax\n{cited}\\bibstyle{{{style}}}\n\\bibdata{{references}}\n")
    done = subprocess.run(["bibtex", "main"], cwd=folder, capture_output=True, text=True, check=False)
    assert "error message" not in done.stdout, done.stdout
    return (folder / "main.bbl").read_text()


@pytest.mark.skipif(which("bibtex") is None, reason="needs LaTeX")
@pytest.mark.parametrize("style", ["vancouver", "apa", "ieee"])
def test_no_kind_of_reference_stops_bibtex(style: str, tmp_path: Path) -> None:
    works = [
        work(f"k{kind.replace('-', '')}{number}", **{"type": kind, "title": "A title", "container-title": "", **little})
        for kind in TYPES
        for number, little in enumerate(LITTLE)
    ]
    keys = [one.key for one in works]
    files = assemble(native_manuscript(f"See \\cite{{{','.join(keys)}}}.", more=works, style=style)).files
    printed = bibtex(files, tmp_path, keys, style_for(style, "").name)
    assert printed.count("\\bibitem") == len(works)


@pytest.mark.skipif(which("bibtex") is None, reason="needs LaTeX")
def test_a_thesis_is_printed_as_vancouver_has_it(tmp_path: Path) -> None:
    said = {"type": "thesis", "title": "Infant sleep", "publisher": "Central University", "publisher-place": "Bergen"}
    files = assemble(
        native_manuscript(
            "See \\cite{a}.", more=[work("a", **said, **{"container-title": "", "volume": ""})], style="vancouver"
        )
    ).files
    if "vancouver.bst" not in files:
        pytest.skip("this machine has no vancouver.bst")
    printed = bibtex(files, tmp_path, ["a"], "vancouver")
    assert re.search(r"Infant sleep \[dissertation\]\.\s+\\newblock Bergen: Central University", printed)


def test_an_imported_thesis_that_asks_for_vancouver_gets_what_it_can_print() -> None:
    said = {"type": "thesis", "title": "Infant sleep", "container-title": ""}
    for style, entry in (("vancouver", b"@book{a,"), ("plain", b"thesis{a,")):
        main = [
            f"\\documentclass{{book}}\n\\begin{{document}}\n\\bibliographystyle{{{style}}}\n",
            2,
            "\n\\end{document}\n",
        ]
        made = assemble(imported_manuscript(main, {}, [chapter(2, "See \\cite{a}.")], more=[work("a", **said)]))
        assert entry in made.files["references.bib"]
