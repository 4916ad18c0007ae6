"""SPEC C12, T5: by author and year, a title that stands for a missing author is printed once, as APA prints it."""

import re
import subprocess
from pathlib import Path

from thesis.assembly.bibtex_style import HERE

ENTRIES = r"""
@misc{file, title={dexa-notes.md}, key={dexa-notes.md}, year={2020}}
@book{book, title={Handbook of bones}, key={Handbook of bones}, year={2011}, publisher={Press}}
@article{article, title={On bones}, key={On bones}, journal={Bones}, year={2012}, volume={3}, pages={1-2}}
@misc{site, title={A web page}, author={{WHO}}, year={2021}}
@book{edited, title={Edited}, editor={Smith, A.}, year={2010}, publisher={Press}}
"""


def test_a_title_without_an_author_is_printed_once(tmp_path: Path) -> None:
    (tmp_path / "t.bib").write_text(ENTRIES)
    (tmp_path / "t.bst").write_bytes((HERE / "scholium-author-year.bst").read_bytes())
    (tmp_path / "t.aux").write_text("\\citation{*}\n\\bibstyle{t}\n\\bibdata{t}\n")
    subprocess.run(["bibtex", "t"], cwd=tmp_path, check=False, capture_output=True)
    printed = (tmp_path / "t.bbl").read_text()
    works = dict(re.findall(r"\\bibitem\[.*?\]\{(\w+)\}\n(.*?)\n\n", printed, re.DOTALL))
    for key, title in {
        **{"file": "dexa-notes.md", "book": "Handbook of bones", "article": "On bones"},
        **{"site": "A web page", "edited": "Edited"},
    }.items():
        assert works[key].count(title) == 1, works[key]
