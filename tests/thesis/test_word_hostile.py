"""What a hostile text can do to the Word file: nothing is read or fetched, and it ends (SPEC R18, T6)."""

import io
import re
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.numbering_events import split_rows
from tests.examples import examples
from tests.thesis.test_word import picture
from tests.time_limits import HANGS
from thesis.manuscript import Chapter, File, Manuscript
from thesis.pandoc_ast.normalise import normalise_latex
from thesis.pandoc_ast.read import read_latex
from thesis.word.docx import Word, docx_of_thesis


def thesis(latex: str, *files: File) -> Word:
    return docx_of_thesis(Manuscript("T", "A", chapters=[Chapter("1", 0, "one", "One", latex)], files=list(files)))


def everything(word: Word) -> bytes:
    archive = zipfile.ZipFile(io.BytesIO(word.data))
    return b"".join(archive.read(name) for name in archive.namelist())


@contextmanager
def picture_server() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and what it is asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(picture("PNG"))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", paths
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.long
def test_no_file_is_read_and_no_address_fetched(tmp_path: Path) -> None:
    canary = tmp_path / "canary.tex"
    canary.write_text("CANARY-5501")
    (tmp_path / "canary.png").write_bytes(picture("PNG"))
    with picture_server() as (address, paths):
        word = thesis(
            rf"""Words. \input{{{canary}}} \include{{{canary}}} \includegraphics{{{tmp_path}/canary.png}}
            \includegraphics{{../../../..{tmp_path}/canary.png}} \input{{/etc/passwd}} \includegraphics{{/etc/passwd}}
            \includegraphics{{{address}/a.png}} \lstinputlisting{{{canary}}} \verbatiminput{{{canary}}}
            \usepackage{{{canary}}} \bibliography{{{canary}}} \write18{{touch {tmp_path}/written}}
            \openout5={tmp_path}/written
            \includegraphics{{data:image/png;base64,iVBORw0KGgo=}} \href{{file:///etc/passwd}}{{a link}} Last words."""
        )
    made = everything(word)
    assert b"CANARY-5501" not in made
    assert b"root:" not in made
    assert b"word/media" not in made
    assert not paths
    assert not (tmp_path / "written").exists()
    assert b"file:///" not in made
    assert b"Last" in made
    assert "Pictures that are missing or cannot be shown" in " ".join(word.notes)


def test_raw_code_of_other_formats_stays_words() -> None:
    word = thesis(
        "\\begin{verbatim}\n```{=openxml}\n<w:p>x</w:p>\n```\n"
        "\\end{verbatim}\n`<w:br/>`\\{=openxml\\} <w:altChunk/> \\# no\n"
        "\\begin{rawblock}{openxml}<w:altChunk/>\\end{rawblock}"
    )
    body = zipfile.ZipFile(io.BytesIO(word.data)).read("word/document.xml").decode()
    assert "<w:altChunk" not in body
    assert "&lt;w:p&gt;" in body
    assert "&lt;w:br/&gt;" in body


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "latex",
    [
        r"\def\a{\a\a}\a Words.",
        r"\newcommand{\x}[1]{#1#1}" + r"\x{" * 40 + "y" + "}" * 40,
        r"\begin{quote}" * 800 + "deep" + r"\end{quote}" * 800,
        r"\textbf{" * 3_000 + "deep" + "}" * 3_000,
        r"\begin{itemize}\item " * 3_000,
        "{" * 100_000,
    ],
    ids=["loop", "doubling", "quotes", "braces", "lists", "open"],
)
@pytest.mark.timeout(HANGS)
def test_what_has_no_end_stands_as_source(latex: str) -> None:
    read = read_latex(latex, seconds=1)
    assert read.why or read.blocks
    if read.why:
        assert read.blocks[0]["t"] == "CodeBlock"


def test_one_bad_chapter_costs_no_other() -> None:
    good = Chapter("1", 0, "one", "One", "A good chapter.")
    bad = Chapter("2", 1, "two", "Two", "\\def\\a{\\a\\a}\\a Bad words.")
    word = docx_of_thesis(Manuscript("T", "A", chapters=[good, bad]))
    body = zipfile.ZipFile(io.BytesIO(word.data)).read("word/document.xml").decode()
    assert "good" in body
    assert "Bad words." in body
    assert "could not be converted" in body
    assert "References" not in body  # as nothing is cited
    assert any(note.startswith("“Two” is shown as LaTeX source. ") for note in word.notes)


def test_a_picture_that_is_none_or_too_large_is_told() -> None:
    svg = File("figures/a.png", "picture", media_type="image/png", read=lambda: b"<svg onload='x'/>")

    def lost() -> bytes:
        raise OSError

    gone = File("figures/b.png", "picture", media_type="image/png", read=lost)
    word = thesis(r"\includegraphics{a}\includegraphics{b} Words.", svg, gone)
    assert "cannot be shown: a, b." in " ".join(word.notes)
    assert b"onload" not in everything(word)


@examples(60)
@given(st.text(alphabet="\\{}[]%$&abeginr \nfigure*0", max_size=120))
def test_any_text_can_be_made_plainer(latex: str) -> None:
    normalise_latex(latex)
    assert "".join(re.split(r"\\\\(?:\s*\[[^\[\]]*\])?", latex)).startswith(split_rows(latex)[0][:1])


@examples(60)
@given(st.text(alphabet="abc é,.\n'-", max_size=120))
def test_text_without_commands_stays(text: str) -> None:
    assert normalise_latex(text) == text


class Enough(Exception):
    """Somebody stopped it."""


def test_it_is_stopped() -> None:
    def tick() -> None:
        if time.monotonic() - began > 0.3:
            raise Enough

    slow = Chapter("1", 0, "one", "One", r"\begin{itemize}\item " * 3_000)
    began = time.monotonic()
    with pytest.raises(Enough):
        docx_of_thesis(Manuscript("T", "A", chapters=[slow]), tick)
