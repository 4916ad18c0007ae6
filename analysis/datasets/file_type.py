"""The type of a data file, by its first bytes; by its name only where these are not enough."""

import re
import zipfile
from io import BytesIO

from untrusted.errors import Unreadable

CSV, XLSX = "csv", "xlsx"
MOST_BYTES = {CSV: 25 * 1024 * 1024, XLSX: 5 * 1024 * 1024}
_AS_CSV = "Export it as CSV (UTF-8) and upload the CSV file."
_AS_TABLE = "Save the table as CSV or as an Excel workbook (.xlsx) and upload that."
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_KNOWN = [  # the first bytes of unsupported files, and the message for each
    (b"%PDF-", f"This is a PDF, and tables are not read from PDFs. {_AS_TABLE}"),
    (b"{\\rtf", f"This is a word processor document (RTF). {_AS_TABLE}"),
    (b"$FL2", f"This is an SPSS file. {_AS_CSV}"),
    (b"$FL3", f"This is an SPSS file. {_AS_CSV}"),
    (b"<stata_dta>", f"This is a Stata file. {_AS_CSV}"),
    (b"HEADER RECORD*******LIBRARY", f"This is a SAS transport file. {_AS_CSV}"),
    (b"\x1f\x8b", "This file is compressed. Unpack it and upload the file inside."),
    (b"Rar!", "This is an archive. Unpack it and upload the table inside."),
    (b"7z\xbc\xaf", "This is an archive. Unpack it and upload the table inside."),
]
_PAGE = re.compile(rb"\s*<(?:!doctype|html|head|body|table|div|script|\?xml|!--)", re.IGNORECASE)
_ENDINGS = {
    ".sav": f"This is an SPSS file. {_AS_CSV}",
    ".dta": f"This is a Stata file. {_AS_CSV}",
    ".sas7bdat": f"This is a SAS file. {_AS_CSV}",
    ".rds": f"This is an R data file. {_AS_CSV}",
    ".rdata": f"This is an R data file. {_AS_CSV}",
    ".json": "This is JSON. Save the table as CSV and upload that.",
}


def kind_of(data: bytes, name: str) -> str:
    """Return CSV or XLSX. Raises Unreadable, with what to save it as, for any other type and for an empty file."""
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise Unreadable("This file is empty. Choose the file that contains the data.")
    for start, says in _KNOWN:
        if data.startswith(start):
            raise Unreadable(says)
    if data.startswith(_OLE):
        raise Unreadable(
            "This is a workbook in the old Excel format (.xls), or one that is locked with a password. Open it in "
            "Excel or LibreOffice, save it without a password as an Excel workbook (.xlsx) or CSV, and upload that."
        )
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _of_archive(data)
    text = (
        data.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
        if b"\0" in data[:200]
        else data.lstrip(b"\xef\xbb\xbf")
    )
    if _PAGE.match(text[:4096]):
        raise Unreadable(
            f"{name} is a web page (HTML or XML), not a table, whatever its name says. Open it in Excel or "
            "LibreOffice, save it as an Excel workbook (.xlsx) or CSV, and upload that. If you downloaded it, sign in "
            "to that site first and download it again."
        )
    for ending, says in _ENDINGS.items():
        if name.lower().endswith(ending):
            raise Unreadable(says)
    if name.lower().endswith((".xlsx", ".xlsm", ".xls", ".ods")):
        raise Unreadable(
            f"{name} is not a workbook that can be opened: it may be damaged. Save it again as .xlsx or CSV."
        )
    return CSV


def _of_archive(data: bytes) -> str:
    try:
        names = {entry.filename.lower() for entry in zipfile.ZipFile(BytesIO(data)).infolist()}
        is_open_document = data[30:38] == b"mimetype" and b"opendocument" in data[38:120]
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable(
            "This workbook is damaged. Open it in Excel, save it again as .xlsx and upload that."
        ) from error
    if is_open_document:
        raise Unreadable(
            "This is an OpenDocument file (.ods). Save it as an Excel workbook (.xlsx) or CSV and upload that."
        )
    if "xl/workbook.bin" in names:
        raise Unreadable(
            "This is a binary workbook (.xlsb). Save it as an Excel workbook (.xlsx) or CSV and upload that."
        )
    if "xl/workbook.xml" not in names:
        raise Unreadable("This is an archive or a document, not a workbook. Upload the table itself, as .xlsx or CSV.")
    return XLSX


def megabytes(size: int) -> str:
    """Return a number of bytes as text: "25 MB"."""
    return f"{size / 1024 / 1024:.1f}".rstrip("0").rstrip(".") + " MB"
