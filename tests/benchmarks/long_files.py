"""Long PDFs of prose that no two pages share, set by typst: what a person brings who has read for a year."""

import random
import re
from functools import cache
from pathlib import Path

import typst

from tests.servers.processes import ROOT

PAGE = 2_300  # characters, after which a page ends with its paragraph: about 2,600 in all
INVENTED = 0.06  # share of the longer words that stand for others: names, species, drugs
_SENTENCE = re.compile(r"[A-Z][^.!?|`<>#*_\[\]{}$\\@]{40,260}[.!?](?=\s)")
_BEGINNINGS = ("al", "ber", "cor", "den", "el", "far", "gal", "hum", "ister", "kal", "lor", "mes", "nor", "pel", "sar")
_ENDINGS = ("adine", "ensis", "ford", "ica", "mannia", "olone", "osis", "ovale", "stedt", "umab", "ville", "wood")


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of the demo thesis and of the documentation: what there is of real prose here."""
    paths = [
        *sorted((ROOT / "config" / "demo" / "files").glob("*.md")),
        *sorted((ROOT / "config" / "demo" / "chapters").glob("*.tex")),
        *sorted((ROOT / "docs").rglob("*.md")),
        ROOT / "CHANGELOG.md",
    ]
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in paths)
    return tuple(" ".join(found.split()) for found in _SENTENCE.findall(re.sub(r"\n(?=\S)", " ", text)))


def page(chance: random.Random) -> str:
    """About PAGE characters in paragraphs of a few sentences, with figures and names of their own."""
    paragraphs: list[str] = []
    while sum(map(len, paragraphs)) < PAGE:
        said = " ".join(_varied(chance.choice(sentences()), chance) for _ in range(chance.randint(2, 6)))
        paragraphs.append(said)
    return "\n\n".join(paragraphs)


def _varied(sentence: str, chance: random.Random) -> str:
    sentence = re.sub(r"\d", lambda _: str(chance.randint(1, 9)), sentence)
    return re.sub(
        r"\b[a-z]{7,}\b", lambda found: _invented(chance) if chance.random() < INVENTED else found[0], sentence
    )


def _invented(chance: random.Random) -> str:
    return f"{chance.choice(_BEGINNINGS)}{chance.choice(_BEGINNINGS)}{chance.choice(_ENDINGS)}"


def pdf(pages: int, seed: int) -> bytes:
    """A PDF of so many pages; another `seed` is another text."""
    chance = random.Random(seed)
    texts = [page(chance) for _ in range(pages)]
    # Set small enough for a page of text to fit on a page of paper. Strings, so that nothing in them is markup.
    quoted = ["\n\n".join(f"#{_string(part)}" for part in text.split("\n\n")) for text in texts]
    source = '#set page(paper: "a4", margin: 2cm)\n#set text(size: 9.5pt)\n' + "\n#pagebreak()\n".join(quoted)
    return bytes(typst.compile(source.encode(), format="pdf"))


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write(folder: Path, files: int, pages: int) -> list[Path]:
    """So many PDFs in `folder`, of so many pages each."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"paper-{number:02}.pdf" for number in range(1, files + 1)]
    for number, path in enumerate(paths, start=1):
        path.write_bytes(pdf(pages, number))
    return paths
