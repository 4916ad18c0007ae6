r"""The pictures of a thesis in its Word file: its own files only, PDFs rendered, scaled to the page (SPEC T5, T6)."""

import posixpath
import re
import zipfile
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image

from core.errors import Refused
from thesis.manuscript import File, picture_finder
from thesis.pandoc_ast.nodes import Node, text_of_nodes, words
from untrusted.images import MOST_PIXELS, media_type_of, reencode
from untrusted.pdf_to_png import draw_page

_LENGTH = re.compile(r"([0-9]*\.?[0-9]+)\s*(%|cm|mm|in|pt|bp|px|em|\\(?:line|text|column)width|\\textheight|)")
_INCHES = {"cm": 1 / 2.54, "mm": 1 / 25.4, "in": 1.0, "pt": 1 / 72.27, "bp": 1 / 72, "px": 1 / 96, "em": 12 / 72.27}
_TAKEN = {"image/png", "image/jpeg"}  # types that Word shows without conversion
_MOST_SIDE = 2_400  # pixels of the longer side: 300 dots per inch over the width of a page
_MOST = 500  # pictures of a thesis
_MOST_BYTES = 120 * 1024 * 1024  # of all pictures together


@dataclass
class _WordPicture:
    data: bytes
    stand_in: bytes  # a tiny, unique picture that pandoc gets in its place
    media_type: str
    inches: tuple[float, float]


@dataclass
class Pictures:
    """Finds, renders and scales the pictures of a thesis. `width` and `height`: the text area of a page, in inches."""

    files: Iterable[File]
    width: float
    height: float
    missing: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._find = picture_finder(self.files)
        self._kept: dict[str, _WordPicture | None] = {}
        self._bytes = 0

    def shown(self, node: Node) -> list[Node]:
        """Return `node` with the picture it names, or a notice when the thesis has no such file."""
        (_, _, pairs), inlines, (path, _) = node["c"]
        alt = text_of_nodes(inlines)
        alt = "Picture" if alt in {"", "image"} else alt  # "image" is pandoc's own default
        file = self._find(path)
        kept = self._keep(file) if file else None
        if kept is None:
            self.missing.setdefault(path[:200])
            return words(f"[The picture {posixpath.basename(path)[:80]} is missing.]")
        wide, high = self._size(dict(pairs), kept.inches)
        size = [["width", f"{wide:.3f}in"], ["height", f"{high:.3f}in"]]
        address = f"data:{kept.media_type};base64,{b64encode(kept.stand_in).decode()}"
        return [{"t": "Image", "c": [["", [], size], words(alt), [address, ""]]}]

    def _keep(self, file: File) -> _WordPicture | None:
        if file.path not in self._kept:
            room = len(self._kept) < _MOST and self._bytes < _MOST_BYTES
            kept = self._kept[file.path] = _prepare_picture(file, len(self._kept)) if room else None
            self._bytes += len(kept.data) if kept else 0
        return self._kept[file.path]

    def _size(self, asked: dict[str, str], natural: tuple[float, float]) -> tuple[float, float]:
        """Return the width and height in inches, at most those of the page."""
        wide, high = natural
        across, down = self._length(asked.get("width", "")), self._length(asked.get("height", ""))
        # The smaller of both scales, as with keepaspectratio, so that nothing is distorted
        scale = min((one for one in (across / wide, down / high) if one), default=1.0)
        scale = min(scale, self.width / wide, self.height * 0.85 / high)
        return wide * scale, high * scale

    def _length(self, text: str) -> float:
        found = _LENGTH.fullmatch(text.strip())
        if not found:
            return 0.0
        number, unit = min(float(found[1]), 100.0), found[2]
        match unit:
            case "%":
                return number / 100 * self.width
            case "\\textheight":
                return number * self.height
        return number * (self.width if unit.startswith("\\") else _INCHES.get(unit, 1 / 72.27))

    def swap(self, archive: bytes) -> bytes:
        """Return the Word file in `archive` with each stand-in replaced by its picture."""
        real = {kept.stand_in: kept.data for kept in self._kept.values() if kept}
        made = BytesIO()
        with zipfile.ZipFile(BytesIO(archive)) as old, zipfile.ZipFile(made, "w") as new:
            for entry in old.infolist():
                data = old.read(entry)
                is_picture = data in real if entry.filename.startswith("word/media/") else False
                entry.compress_type = zipfile.ZIP_STORED if is_picture else zipfile.ZIP_DEFLATED
                new.writestr(entry, real[data] if is_picture else data)
        return made.getvalue()


def _prepare_picture(file: File, number: int) -> _WordPicture | None:
    try:
        data = file.read()
        is_page = media_type_of(data[:16]) == "application/pdf"
        if is_page:
            drawn = draw_page(data)
            if drawn is None:
                return None
            data = drawn
        if media_type_of(data[:16]) not in _TAKEN:
            data = reencode(data, file.path).data
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                return None
            opened.load()
            across, down = (float(one) or 96.0 for one in opened.info.get("dpi", (96, 96)))
            inches = (opened.width / across, opened.height / down)
            data = _smaller(opened, data)
    except (OSError, Refused, ValueError, TypeError, SyntaxError, Image.DecompressionBombError):
        return None  # hostile bytes fail in many ways
    if is_page:
        inches = _page_inches(file, inches)
    return _WordPicture(data, _stand_in(number, media_type_of(data[:16])), media_type_of(data[:16]), inches)


def _page_inches(file: File, drawn: tuple[float, float]) -> tuple[float, float]:
    """Return the size of a PDF figure in inches, from its MediaBox; else the size `drawn`.

    A PDF is rendered at most 1,600 pixels wide, so that its size as a picture may be smaller than that of its page.
    """
    found = re.search(rb"/MediaBox\s*\[\s*([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)", file.read()[:2_000_000])
    if not found:
        return drawn
    left, bottom, right, top = (float(one) for one in found.groups())
    inches = max(abs(right - left), abs(top - bottom)) / 72
    scale = inches / max(drawn) if inches > 0.05 else 1.0
    return drawn[0] * scale, drawn[1] * scale


def _smaller(opened: Image.Image, data: bytes) -> bytes:
    """Return `data`, or the same picture with no more pixels than a page needs."""
    if max(opened.size) <= _MOST_SIDE:
        return data
    kind = "JPEG" if opened.format == "JPEG" else "PNG"
    small = opened.convert("RGBA") if opened.mode in {"P", "1"} else opened.copy()
    small.thumbnail((_MOST_SIDE, _MOST_SIDE))
    made = BytesIO()
    small.save(made, kind, **({"quality": 90} if kind == "JPEG" else {}))
    return made.getvalue()


def _stand_in(number: int, media_type: str) -> bytes:
    """Return a picture of one pixel, unique by `number`: pandoc copies it, so the real one need not pass through it."""
    made = BytesIO()
    if media_type == "image/jpeg":
        Image.new("RGB", (1, 1)).save(made, "JPEG", comment=f"{number}".encode())
    else:
        Image.new("RGB", (1, 1), (number >> 16 & 255, number >> 8 & 255, number & 255)).save(made, "PNG")
    return made.getvalue()
