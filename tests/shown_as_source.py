"""What share of a thesis the manuscript shows as source: `python -m tests.shown_as_source thesis.tex ...`.

Each file is read as an imported thesis and opened as the manuscript page is; nothing is stored. A block is a paragraph,
heading, item, row of a table, figure, formula or listing.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path
from uuid import uuid4

_BLOCK = re.compile(r"<(?:p|li|dt|h[2-6]|tr|figure|pre)[ >]|<div class=\"equation\"")
_RAW = {
    "chapter as source": re.compile(r'<pre class="latex">(.*?)</pre>', re.DOTALL),
    "formula as source": re.compile(r'<code class="tex"'),
    "environment as text": re.compile(r"<p[^>]*>(?=[^<]*\s&amp;\s)|\\(?:begin|item)\b(?![^<]*</(?:pre|code)>)"),
    "drawn by LaTeX only": re.compile(r"drawn by LaTeX"),
}


def raw_share(path: Path) -> tuple[int, Counter[str], list[str]]:
    """Return the number of blocks of a thesis, those that are shown as source by kind, and its notes."""
    from tests.thesis.manuscripts import chapter, imported_manuscript
    from thesis.manuscript_page.document import Document

    text = path.read_text(errors="replace")
    head, _, rest = text.partition(r"\begin{document}")
    texts = [one for one in re.split(r"(?=\\chapter\*?[\[{])", rest.partition(r"\end{document}")[0]) if one.strip()]
    chapters = [chapter(number, one) for number, one in enumerate(texts)]
    pieces = [f"{head}\\begin{{document}}\n", *(one.number for one in chapters), "\n\\end{document}\n"]
    document = Document(uuid4(), imported_manuscript(pieces, {}, chapters))
    blocks, raw = 0, Counter[str]()
    notes: list[str] = []
    for one in document.chapters:
        page = document.chapter(one)
        html = page.html if page else ""
        notes += page.notes if page else ()
        blocks += len(_BLOCK.findall(html))
        for kind, pattern in _RAW.items():
            for found in pattern.finditer(html):
                paragraphs = found[1].count("\n\n") + 1 if pattern.groups else 1
                raw[kind] += paragraphs
                blocks += paragraphs - 1
    return blocks, raw, notes


def main(paths: list[str]) -> None:
    """Print the share of each thesis."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    for path in paths:
        blocks, raw, notes = raw_share(Path(path))
        share = sum(raw.values()) / max(blocks, 1)
        kinds = ", ".join(f"{kind} {count}" for kind, count in raw.items() if count) or "nothing as source"
        sys.stdout.write(f"{path}: {share:.1%} of {blocks:,} blocks ({kinds})\n")
        for note in dict.fromkeys(note.partition(": ")[2] or note for note in notes):
            sys.stdout.write(f"    {note}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
