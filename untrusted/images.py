"""Pictures that people bring: what they are by their bytes, written anew without what a camera noted in them (SPEC N5, R18).

LaTeX takes PNG, JPEG and PDF. GIF and WebP become PNG; a JPEG stays one. Nothing else is taken as a picture to show: an
SVG is a program.
"""

from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageOps

from core.errors import Refused

MOST_PIXELS = 40_000_000  # an A3 page at 350 dpi has 23 million
_TAKEN = ("PNG", "JPEG", "GIF", "WEBP")
_WRITTEN = {"1", "L", "LA", "P", "RGB", "RGBA"}  # modes a PNG is written in
_MAGIC = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
]


class Picture(NamedTuple):
    """A picture written anew: its bytes, their type, and its size in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def ending(self) -> str:
        return ".jpg" if self.media_type == "image/jpeg" else ".png"


def media_type_of(head: bytes) -> str:
    """Return the type of a picture a browser or LaTeX can show, by its first bytes; "" for all else, SVG among it."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def written_anew(data: bytes, name: str) -> Picture:
    """Return the picture in `data`, called `name` by whoever brought it, re-encoded: pixels and resolution, nothing else.

    The same bytes give the same picture. Raises Refused for what is no PNG, JPEG, GIF or WebP, is damaged, or has more
    than MOST_PIXELS.
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
    except Exception as error:  # hostile bytes fail in as many ways as there are
        raise Refused(
            f"{name} could not be read as a PNG, JPEG, GIF or WebP picture. It may be damaged: open it, save it again as "
            "PNG and add that.",
            field="file",
            code="not_a_picture",
        ) from error
    return Picture(made.getvalue(), "image/jpeg" if format == "JPEG" else "image/png", *image.size)


def _plain(image: Image.Image) -> Image.Image:
    """`image` in a mode that PNG has, with its transparency, without all else it carried."""
    if image.mode not in _WRITTEN or "transparency" in image.info:
        has_holes = "transparency" in image.info or image.mode in ("PA", "La", "RGBa")
        image = image.convert("RGBA" if has_holes else "RGB")
    image.info = {}
    return image


def _resolution(image: Image.Image) -> tuple[float, float]:
    """Dots per inch, which LaTeX sizes a picture by; 96 where it does not say."""
    try:
        across, down = (float(number) for number in image.info.get("dpi", (96, 96)))
    except (TypeError, ValueError, ZeroDivisionError):
        return 96.0, 96.0
    return (across, down) if 30 <= across <= 2400 and 30 <= down <= 2400 else (96.0, 96.0)


def _too_large(name: str, width: int, height: int) -> Refused:
    size = f" ({width:,} by {height:,})" if width else ""
    return Refused(
        f"{name} has more than {MOST_PIXELS // 1_000_000} million pixels{size}. Make it smaller and add that: a page of "
        "print needs no more than 8 million.",
        field="file",
        code="too_many_pixels",
        status=413,
    )
