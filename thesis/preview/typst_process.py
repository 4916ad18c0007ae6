"""A process of its own that sets a thesis as PDF and draws some of its pages. It imports nothing of ours.

Given a folder with thesis.typ, data.json and pictures, all under our own names, and on stdin {"at", "draw", "scale"}, it
writes out.pdf and page-N.png there and says {"pages", "drawn", "formulas"} on stdout. It holds itself to so much time and memory.
"""

import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import typst

SECONDS = 15  # of processor time; 120 pages take one or two
_BYTES = 4 << 30  # of address space: threads and the compiler itself take much of it, and use little
_FILE = 300 << 20  # bytes of a file it writes
_LATIN = 0x0590  # from here on letters may need fonts of the machine; before, the compiler has them itself


def main() -> None:
    for limit, most in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, _BYTES),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # some systems know no such limit
            resource.setrlimit(limit, (most, most))
    asked = json.loads(sys.stdin.buffer.read())
    folder = Path(asked["folder"])
    os.chdir(folder)
    text = (folder / "data.json").read_text(encoding="utf-8")
    fonts = typst.Fonts(include_system_fonts=_needs_more(text))
    failed: list[str] = []
    try:
        pdf = _set(folder, fonts, asked["at"])
    except typst.TypstError:
        failed = _without_broken_formulas(folder, text, fonts)
        pdf = _set(folder, fonts, asked["at"])
    (folder / "out.pdf").write_bytes(pdf)
    pages, drawn = _draw(folder, pdf, asked["draw"], asked["scale"])
    sys.stdout.write(json.dumps({"pages": pages, "drawn": drawn, "formulas": failed}))


def _set(folder: Path, fonts: Any, at: int) -> bytes:
    """Return the PDF. Without tags: they are for readers of the thesis, and take a third of the time."""
    made = typst.Compiler(
        folder / "thesis.typ", root=folder, font_paths=fonts, package_path=folder, package_cache_path=folder
    ).compile(format="pdf", timestamp=at, pdf_tags=False)
    assert isinstance(made, bytes)
    return made


def _without_broken_formulas(folder: Path, text: str, fonts: Any) -> list[str]:
    """Write the data anew without the formulas that cannot be set, which then show as their source."""
    data = json.loads(text)
    known: dict[str, bool] = {}
    failed: list[str] = []
    waiting: list[Any] = [data]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict):
            waiting += one if isinstance(one, list) else ()
            continue
        waiting += one.values()
        code = one.get("m") if one.get("k") in ("m", "eq") else ""
        if not code:
            continue
        if code not in known:
            known[code] = _is_sound(folder, code, fonts)
        if not known[code]:
            one["m"] = ""
            failed.append(code)
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    return failed


def _is_sound(folder: Path, code: str, fonts: Any) -> bool:
    source = f'#math.equation(eval({json.dumps(code, ensure_ascii=False)}, mode: "math"))'
    (folder / "formula.typ").write_text(source, encoding="utf-8")
    try:
        typst.Compiler(folder / "formula.typ", root=folder, font_paths=fonts).compile(format="svg")
    except typst.TypstError:
        return False
    return True


def _draw(folder: Path, pdf: bytes, numbers: list[int], scale: float) -> tuple[int, list[int]]:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    drawn = [number for number in numbers if 1 <= number <= len(document)]
    for number in drawn:
        document[number - 1].render(scale=scale).to_pil().save(folder / f"page-{number}.png", compress_level=1)
    return len(document), drawn


def _needs_more(text: str) -> bool:
    """Return whether there are letters that the compiler's own fonts lack, such as Devanagari or Chinese."""
    return not text.isascii() and any(_LATIN <= ord(sign) < 0x2000 or ord(sign) >= 0x2E80 for sign in set(text))


if __name__ == "__main__":
    main()
