"""A separate process that scales pictures down for a preview: `0`, `1` ... in a folder become `0.jpg`, `1.jpg` ...

It writes {"0": [width, height] in points} as JSON to stdout, for those it could read. Imports nothing of this project.
"""

import json
import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from PIL import Image, ImageOps

_SECONDS = 30  # of processor time
_BYTES = 2 << 30  # of address space
_MOST_PIXELS = 40_000_000
_LONGEST = 1_300  # pixels of the longer side: 16 cm at 200 dpi
_TAKEN = ("PNG", "JPEG", "GIF", "WEBP")


def main() -> None:
    """Scale the pictures in the folder given as argument."""
    for limit, most in ((resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_AS, _BYTES), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    folder = Path(sys.argv[1])
    names = sorted((path.name for path in folder.iterdir() if path.name.isdecimal()), key=int)
    pdfs = [name for name in names if (folder / name).read_bytes()[:5] == b"%PDF-"]
    made = {name: size for name in pdfs if (size := _page(folder, name))}
    rest = [name for name in names if name not in pdfs]
    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 2, 4)) as pool:
        sizes = zip(rest, pool.map(lambda name: _picture(folder, name), rest), strict=True)
        made |= {name: size for name, size in sizes if size}
    sys.stdout.write(json.dumps(made))


def _picture(folder: Path, name: str) -> tuple[float, float] | None:
    try:
        with Image.open(folder / name, formats=_TAKEN) as opened:
            if opened.width * opened.height > _MOST_PIXELS:
                return None
            dpi = _resolution(opened)
            size = opened.width * 72 / dpi, opened.height * 72 / dpi
            opened.draft("RGB", (_LONGEST, _LONGEST))  # decodes a large JPEG at a fraction of its size
            image = ImageOps.exif_transpose(opened)
            if image.width < image.height and size[0] > size[1]:
                size = size[1], size[0]
            _written(image, folder / f"{name}.jpg")
    except Exception:  # hostile files fail in many ways
        return None
    return size


def _page(folder: Path, name: str) -> tuple[float, float] | None:
    """Render the first page of a PDF figure and return its size. Not thread-safe."""
    import pypdfium2

    try:
        page = pypdfium2.PdfDocument((folder / name).read_bytes())[0]
        width, height = page.get_size()
        scale = min(_LONGEST / max(width, height, 1), 4)
        _written(page.render(scale=scale).to_pil(), folder / f"{name}.jpg")
    except Exception:
        return None
    return width, height


def _written(image: Image.Image, path: Path) -> None:
    image.thumbnail((_LONGEST, _LONGEST), reducing_gap=2.0)
    if image.mode not in ("RGB", "L"):
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    image.save(path, "JPEG", quality=88, subsampling=0)


def _resolution(image: Image.Image) -> float:
    try:
        dpi = float(image.info.get("dpi", (96, 96))[0])
    except (TypeError, ValueError, ZeroDivisionError, IndexError):
        return 96.0
    return dpi if 30 <= dpi <= 2400 else 96.0


if __name__ == "__main__":
    main()
