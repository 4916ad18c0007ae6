"""Small files made by hand, and the ones people should not send."""

import struct
import zipfile
import zlib
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
from django.core.files.uploadedfile import SimpleUploadedFile

from contextfiles.ingest import read_file_text, save_text, stored_text_of
from contextfiles.models import ContextFile, FileText
from contextfiles.upload import store
from projects.models import Project

NOTES = (
    b"# Alder\n\n## Soil\n\nAlder fixes nitrogen. The soil under it held 3.4 g/kg.\n\n## Growth\n\nTrees grew faster.\n"
)


def uploaded(name: str = "notes.md", data: bytes = NOTES) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def text_of(file: ContextFile) -> FileText:
    """The text of `file`, read now or kept from when the same bytes were read before.
    Raises as `read_file_text` does."""
    return stored_text_of(file) or save_text(file, read_file_text(file))


def stored(project: Project, name: str = "notes.md", data: bytes = NOTES) -> ContextFile:
    return store(project, project.owner, name, uploaded(name, data))


def pdf(*pages: list[str], encrypt: bool = False) -> bytes:
    """A PDF of `pages` of lines in Helvetica; `encrypt` declares a password that nobody has."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, lines in enumerate(pages):
        drawn = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        bodies += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        ]
    made, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode()
    locked = ""
    if encrypt:
        nobody = "ab" * 32
        locked = f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/O<{nobody}>/U<{nobody}>/P -4>>"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(bodies) + 1
    return made + (
        f"xref\n0 {count}\n0000000000 65535 f \n".encode()
        + table
        + f"trailer<</Size {count}/Root 1 0 R{locked}>>\nstartxref\n{len(made)}\n%%EOF".encode()
    )


def word(fill: Any = None) -> bytes:
    """A DOCX; `fill` gets the python-docx document to write into."""
    document = docx.Document()
    if fill is None:
        document.add_heading("Methods", 1)
        document.add_paragraph("We sampled alder stands.")
    else:
        fill(document)
    made = BytesIO()
    document.save(made)
    return made.getvalue()


def workbook(fill: Any = None) -> bytes:
    """An XLSX as openpyxl writes it, without stored values for formulas; `fill` gets the workbook to write into."""
    made = openpyxl.Workbook()
    if fill is None:
        made.active.title = "Soil"
        for row in (["Plot", "Nitrogen (g/kg)"], ["P1", 3.4], ["P2", 2.9]):
            made.active.append(row)
    else:
        fill(made)
    written = BytesIO()
    made.save(written)
    return written.getvalue()


def slides(fill: Any = None) -> bytes:
    """A PPTX; `fill` gets the python-pptx presentation to write into."""
    presentation = pptx.Presentation()
    if fill is None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = "Alder"
        slide.placeholders[1].text = "Alder fixes nitrogen."
    else:
        fill(presentation)
    written = BytesIO()
    presentation.save(written)
    return written.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


def with_entry(data: bytes, name: str, content: bytes) -> bytes:
    """The ZIP `data` with one entry replaced or added."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    return zipped({**entries, name: content})


def bomb(name: bytes = b"word/document.xml", declared: int | None = None) -> bytes:
    """A ZIP whose one entry unpacks to 300 MB, written without holding that much; it may declare another size."""
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    block, crc, size = b" " * (1 << 20), 0, 300 << 20
    packed = (machine.compress(block) + machine.flush(zlib.Z_FULL_FLUSH)) * 300 + machine.flush()
    for _ in range(300):
        crc = zlib.crc32(block, crc)
    size = size if declared is None else declared
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, crc, len(packed), size, len(name), 0)
    central = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, crc, len(packed), size, len(name), 0, 0, 0, 0, 0, 0
    )
    body = local + name + packed
    return (
        body + central + name + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(central) + len(name), len(body), 0)
    )
