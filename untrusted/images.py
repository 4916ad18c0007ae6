"""Uploaded images: detected by their bytes and re-encoded without metadata (SPEC N5, R18).

LaTeX supports PNG, JPEG and PDF. GIF and WebP are converted to PNG; a JPEG stays a JPEG. Other formats are refused; an
SVG can contain scripts.
"""

from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageOps

from core.errors import Refused

MOST_PIXELS = 40_000_000  # an A3 page at 350 dpi has 23 million
_TAKEN = ("PNG", "JPEG", "GIF", "WEBP")
_WRITTEN = {"1", "L", "LA", "P", "RGB", "RGBA"}  # modes that PNG supports
_MAGIC = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
]


class Picture(NamedTuple):
    """A re-encoded image: its bytes, media type, and size in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def ending(self) -> str:
        """The file extension for its media type."""
        return ".jpg" if self.media_type == "image/jpeg" else ".png"


def media_type_of(head: bytes) -> str:
    """Return the media type of an image that browsers or LaTeX can show, by its first bytes, else "" (also SVG)."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def reencode(data: bytes, name: str) -> Picture:
    """Return the image in `data` re-encoded with its pixels and resolution only. `name` is used in messages.

    The same bytes give the same result. Raises Refused for another format than PNG, JPEG, GIF and WebP, for
    a damaged picture, and for one with more pixels than MOST_PIXELS.
    """
    try:
        with Image.open(BytesIO(data), formats=_TAKEN) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise _too_large(name, width, height)
            format = opened.format
            image = ImageOps.exif_transpose(opened)
            dpi = _resolution(opened)
            made = BytesIO()
            if format == "JPEG":
                flat = image if image.mode in ("L", "RGB") else image.convert("RGB")
                flat.info = {}
                flat.save(made, "JPEG", quality=93, optimize=True, dpi=dpi)
            else:
                _plain(image).save(made, "PNG", dpi=dpi)
    except Refused:
        raise
    except Image.DecompressionBombError as error:
        raise _too_large(name, 0, 0) from error
    except Exception as error:  # malicious bytes may raise any exception
        raise Refused(
            f"{name} could not be read as a PNG, JPEG, GIF or WebP image. It may be damaged: open it, save it again as "
            "PNG, and upload that.",
            field="file",
            code="not_a_picture",
        ) from error
    return Picture(made.getvalue(), "image/jpeg" if format == "JPEG" else "image/png", *image.size)


def _plain(image: Image.Image) -> Image.Image:
    """Return `image` in a mode that PNG supports, with its transparency and without metadata."""
    if image.mode not in _WRITTEN or "transparency" in image.info:
        has_holes = "transparency" in image.info or image.mode in ("PA", "La", "RGBa")
        image = image.convert("RGBA" if has_holes else "RGB")
    image.info = {}
    return image


def _resolution(image: Image.Image) -> tuple[float, float]:
    """Return the resolution in dots per inch, which LaTeX uses for the size; 96 if not given."""
    try:
        across, down = (float(number) for number in image.info.get("dpi", (96, 96)))
    except (TypeError, ValueError, ZeroDivisionError):
        return 96.0, 96.0
    return (across, down) if 30 <= across <= 2400 and 30 <= down <= 2400 else (96.0, 96.0)


def _too_large(name: str, width: int, height: int) -> Refused:
    size = f" ({width:,} by {height:,})" if width else ""
    return Refused(
        f"{name} has more than {MOST_PIXELS // 1_000_000} million pixels{size}. Make it smaller and upload that: a "
        "printed page needs no more than 8 million.",
        field="file",
        code="too_many_pixels",
        status=413,
    )
