"""Printed pages for tests: PDFs whose lines are drawn where and in the order a test wants."""

import random
import re
import textwrap
from typing import NamedTuple

import typst

_WORDS = [
    "alder", "fixes", "nitrogen", "soil", "under", "stands", "with", "older", "trees", "growing", "where", "birch",
    "cannot", "follow", "because", "the", "water", "table", "moved", "upwards", "during", "spring", "measurements",
]  # fmt: skip


class Drawn(NamedTuple):
    """A line of text that begins at x, y points from the lower left corner."""

    x: float
    y: float
    text: str
    size: int = 10


def drawn(lines: list[Drawn], page: str = "") -> bytes:
    """A PDF of one page, its lines drawn in this order. `page` adds to the page's dictionary."""
    text = " ".join(f"/F1 {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({line.text}) Tj" for line in lines)
    return assembled([f"BT {text} ET"], page)


def assembled(contents: list[str], page: str = "") -> bytes:
    """A PDF with a page for each of `contents`, drawn with PDF's own operators; fonts are Helvetica."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(contents)))
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, content in enumerate(contents):
        bodies += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]{page}/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
        ]
    made, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    tail = f"trailer<</Size {len(bodies) + 1}/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF".encode()
    return made + head + table + tail


PICTURE = "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x7f EI Q"  # what a scanner leaves of a page


def typeset(source: str) -> bytes:
    """A PDF as typst sets it."""
    made = typst.compile(source.encode())
    assert isinstance(made, bytes)
    return made


def prose(sentences: int, seed: int = 1) -> str:
    """Sentences that tell their number: "Sentence s7 says that ..."."""
    chance = random.Random(seed)
    return " ".join(
        f"Sentence s{number} says that {' '.join(chance.choices(_WORDS, k=chance.randint(5, 18)))}."
        for number in range(sentences)
    )


def columns(text: str, number: int, width: int) -> list[list[str]]:
    """`text` broken into lines of `width` letters, in `number` columns of the same length."""
    lines = textwrap.wrap(text, width)
    each = -(-len(lines) // number)
    return [lines[at : at + each] for at in range(0, len(lines), each)]


def numbers_in(text: str) -> list[int]:
    """The numbers of the sentences of `prose` in `text`, in the order in which they stand there."""
    return [int(number) for number in re.findall(r"Sentence\s+s(\d+)\s", text)]
