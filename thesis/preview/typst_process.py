"""A separate process that makes the PDF of a preview by Typst and renders some of its pages.

Stdin is JSON: {"folder", "at", "draw", "scale"}. The folder has thesis.typ, data.json and pictures with generated
names. It writes out.pdf and page-N.png there, and {"pages", "drawn", "formulas"} as JSON to stdout. It limits its own
time and memory, and imports nothing of this project.
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
_BYTES = 4 << 30  # of address space; threads and the compiler reserve much of it but use little
_FILE = 300 << 20  # bytes of a file it writes
_LATIN = 0x0590  # characters below are in Typst's built-in fonts; others may need fonts of the machine


def main() -> None:
    """Make the PDF and the pages that stdin asks for."""
    for limit, most in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, _BYTES),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # some systems do not have every limit
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
    """Return the PDF, without accessibility tags: in a preview they are not needed and take a third of the time."""
    made = typst.Compiler(
        folder / "thesis.typ", root=folder, font_paths=fonts, package_path=folder, package_cache_path=folder
    ).compile(format="pdf", timestamp=at, pdf_tags=False)
    assert isinstance(made, bytes)
    return made


def _without_broken_formulas(folder: Path, text: str, fonts: Any) -> list[str]:
    """Rewrite the data without the formulas that fail in Typst, and return them; they are shown as their source."""
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
    """Return whether `text` has characters that Typst's built-in fonts lack, such as Devanagari or Chinese."""
    return not text.isascii() and any(_LATIN <= ord(sign) < 0x2000 or ord(sign) >= 0x2E80 for sign in set(text))


if __name__ == "__main__":
    main()
