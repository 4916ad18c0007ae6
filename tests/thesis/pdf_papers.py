"""First pages of papers as PDFs: a title in large letters, authors, a DOI; scans, damaged and locked files."""

from collections.abc import Sequence

from tests.contextfiles.make_files import pdf

Line = tuple[float, str]  # size of the letters, and the words


def paper(
    title: str,
    *,
    authors: str = "",
    year: int | None = 2021,
    doi: str = "",
    journal: str = "",
    journal_size: float = 9,
    more: Sequence[Line] = (),
    pages: int = 2,
) -> bytes:
    """A paper: its journal, the title in lines of at most 45 letters, authors, then text with the DOI and the year."""
    lines: list[Line] = [(journal_size, journal)] if journal else []
    lines += [(18, part) for part in _wrapped(title, 45)]
    lines += [(11, part) for part in _wrapped(authors, 80)] if authors else []
    lines += [(9, f"Published {year}")] if year else []
    lines += [(9, f"https://doi.org/{doi}")] if doi else []
    lines += [(10, "The leaves of the trees were counted by hand in each plot, and the soil was sampled.")] * 12
    return pages_of([*lines, *more], *([[(10, "More about the trees.")]] * (pages - 1)))


def pages_of(*pages: Sequence[Line]) -> bytes:
    """A PDF of pages of lines in Helvetica, each line in a size of its own."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for number, lines in enumerate(pages):
        drawn, y = "", 740.0
        for size, words in lines:
            y -= size * 1.4
            drawn += f"BT /F1 {size} Tf 60 {y:.1f} Td ({_escaped(words)}) Tj ET\n"
        bodies += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        ]
    return _file(bodies)


def scan(shade: int = 128) -> bytes:
    """A page that is only a picture."""
    picture = f"{shade % 256:02x}" * 4
    drawn = "q 400 0 0 400 100 100 cm /Im Do Q"
    return _file(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Count 1/Kids[3 0 R]>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</Im 5 0 R>>>>/Contents 4 0 R>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
            "<</Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8"
            f"/Filter/ASCIIHexDecode/Length {len(picture) + 1}>>stream\n{picture}>\nendstream",
        ]
    )


def broken(number: int = 0) -> bytes:
    """Bytes that begin as a PDF and are none."""
    return b"%PDF-1.7\n" + f"{number} nothing else".encode() * 20


def locked() -> bytes:
    """A PDF with a password that nobody has."""
    return pdf(["Secret alder"], encrypt=True)


def _wrapped(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _escaped(words: str) -> str:
    return words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _file(bodies: Sequence[str]) -> bytes:
    made, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252", "replace")
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(bodies) + 1
    return made + (
        f"xref\n0 {count}\n0000000000 65535 f \n".encode()
        + table
        + f"trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF".encode()
    )
