r"""Expansion of a thesis's own cite commands to \cite, \citet and so on, for pandoc (SPEC T6)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from latex.cite_edits import expand_own_commands, without_definitions
from latex.cite_macros import Macros
from sections.citing_text import citing_texts
from thesis.manuscript import File, Manuscript


def with_plain_citations(manuscript: Manuscript) -> Manuscript:
    """Return `manuscript` with its own cite commands expanded, in sections and in files that contain sections."""
    chapters = [(one.id, one.latex) for one in manuscript.chapters]
    files = manuscript.files if manuscript.is_brought else []
    texts = citing_texts(chapters, files, lambda file: file.read())
    if not any(one.macros.vocabulary.table for one in texts):
        return manuscript
    macros = {one.section or (one.path, one.latex): one.macros for one in texts}
    return replace(
        manuscript,
        chapters=[one._replace(latex=_plain(one.latex, macros[one.id])) for one in manuscript.chapters],
        files=[_spelt_out(file, macros, texts[-1].macros) for file in manuscript.files],
    )


def _plain(latex: str, macros: Macros) -> str:
    return without_definitions(expand_own_commands(latex, macros), macros)


def _spelt_out(file: File, macros: Mapping[Any, Macros], last: Macros) -> File:
    if file.pieces is None:
        return file
    return file._replace(
        pieces=[
            {**piece, "text": _plain(piece["text"], macros.get((file.path, piece["text"]), last))}
            if "text" in piece
            else piece
            for piece in file.pieces
        ]
    )
