"""Results as they are printed: by LaTeX, whatever letters stand in their cells, in the preview and as Word
(SPEC N2, T6)."""

import io
import random
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from docx import Document

from analysis.presentation.latex import sentence_latex, table_latex
from projects.models import Project, User
from tests.analysis.results import answer, answered, table
from tests.thesis.manuscripts import native_manuscript, set_by_latex
from tests.thesis.minimal_latex import needs_latex, printed
from thesis.assembly.assemble import assemble
from thesis.drafting.accept import accept_blocks
from thesis.drafting.proposal import insert_as_proposal
from thesis.insert.results import replace_unprintable, result_insertion
from thesis.latex_build.build_limits import Limits
from thesis.manuscript import Chapter, Manuscript
from thesis.manuscript_data import manuscript_of
from thesis.preview.typeset import render_preview
from thesis.word.docx import docx_of_thesis

NAMES = [
    r"\input{/etc/passwd}", r"\write18{id}", r"\end{tabular}", r"\\[1cm]", r"\verb|x|", "%", "& && &", "#1 ##",
    "$x$ $$", "_^", "~^", "{", "}",
    "}{", "\\", "\\\\", "[a]", "*", "* *", "[", "]", "-- --- ,, << >>", "``''", "?`!`", "\"a\"", "'", "|", "<b>", "@{}",
    "\\hline", "if", "=cmd|x",
    "x`; system('id'); `", "", " ", "\t", "a\nb", "\0\x07\x1b", "\u202eabc\u202c", "e\u0301\u0302\u0327", "ﬁ ﬂ",
    "½ ⅓ µ Å ° ± × ÷", "αβγ ΔΩ ≤≥≠≈ ∞ −",
    "€ £ ₹", "Grüße, naïve Šimůnek", "देवनागरी", "漢字かな", "العربية", "עברית",
    "😀🧪👩‍⚕️", "\ufeff\u200b\u00ad", "x" * 300,
    "a b " * 75, "ŋ Ŋ ĸ ſ", "a\u00a0b",
    "\ud7ff", "\ufffd", "ǅ ʰ ᵃ ⁵ ₂", "…‐‑‒–—―", "’‘“”„‚«»‹›",
]  # fmt: skip


def odd_names(many: int = 160) -> list[str]:
    """Names of letters from everywhere, the same ones each time."""
    dice = random.Random(7)
    ranges = [
        (0x20, 0x7F),
        (0x20, 0x7F),
        (0xA0, 0x250),
        (0x250, 0x700),
        (0x900, 0xA00),
        (0x1E00, 0x2800),
        (0x2800, 0xD7FF),
        (0xE000, sys.maxunicode),
    ]
    return ["".join(chr(dice.randint(*dice.choice(ranges))) for _ in range(dice.randint(1, 12))) for _ in range(many)]


@pytest.mark.long
@needs_latex
def test_any_text_of_cells_heads_titles_and_notes_is_set(tmp_path: Path) -> None:
    names = [*NAMES, *odd_names()]
    result = answer(
        tables=[
            table(
                [
                    {"group": one, "n": 1, "mean": other, "level": 1}
                    for one, other in zip(names, reversed(names), strict=True)
                ],
                id="long",
            )
        ]
    )
    pieces = [table_latex(result, "long", "tab:long")]
    for number, name in enumerate(names[::4]):
        columns = [{"key": "a", "label": name, "align": "left"}, {"key": "b", "label": names[number], "align": "right"}]
        one = {
            "id": "t",
            "title": f"{name} {number}",
            "columns": columns,
            "rows": [{"a": name, "b": name}],
            "footnotes": [name, name],
        }
        pieces.append(table_latex({"tables": [one]}, "t", f"tab:t{number}"))
        pieces.append(f"{sentence_latex({'sentence': {'plain': name}})}\n\n")
        if number % 8 == 7:
            pieces.append("\\clearpage\n")
    latex, _ = replace_unprintable("\n".join(pieces))
    chapter = Chapter("00000000-0000-0000-0000-000000000001", 1, "results", "Results", latex, 1)
    manuscript = Manuscript(title="A thesis", author="Asha", chapters=[chapter])
    limits = Limits(seconds=60, cpu=60, memory=1 << 30, file_size=20 << 20, pages=400, after_error=2)
    made, problems, _, _ = printed(manuscript, tmp_path / "set", limits, hold=False)
    assert made.pdf is not None, made.log[-2000:]
    assert [one["title"] for one in problems if one["level"] == "error"] == []
    read = text_of(made.pdf)
    for said in (
        r"\input{/etc/passwd}",
        r"\write18{id}",
        "x`; system('id'); `".replace("'", "’").replace("`", "`"),
        "Grüße",
    ):
        assert said.replace(" ", "") in read.replace(" ", "").replace("\n", ""), said
    assert "root:" not in read


def wide_table(columns: int, cell: str, head: str, words: str) -> dict[str, Any]:
    """A table of words and of `columns` columns of numbers."""
    described = [{"key": "w", "label": "Characteristic", "align": "left"}]
    described += [{"key": f"c{place}", "label": head, "align": "right"} for place in range(columns)]
    row = {"w": words, **{f"c{place}": cell for place in range(columns)}}
    return {"id": "t", "title": "Wide", "columns": described, "rows": [row, {**row, "level": 1}], "footnotes": ["Q."]}


WIDE = [
    wide_table(4, "169.45 (163.97, 175.32)", "Honey & gauze (n = 13)", "Weight & dressing [kg], median (Q1, Q3)"),
    wide_table(9, "100.00", "Third quartile", "Area healed (%)"),
    wide_table(6, "-12.82 (-19.15, -6.48)", "Mean difference", "Hydrogel 5% against Honey & gauze"),
    wide_table(1, "4.25", "Mean", "A label " * 20),
    wide_table(9, "99.9%", "Share", "x" * 70),
]


@pytest.mark.long
@needs_latex
@pytest.mark.django_db
def test_wide_tables_stay_within_the_text(tmp_path: Path) -> None:
    pieces = [table_latex({"tables": [one]}, "t", f"tab:{place}") for place, one in enumerate(WIDE)]
    long = {**WIDE[0], "rows": WIDE[0]["rows"] * 20}
    pieces.append(table_latex({"tables": [long]}, "t", "tab:long"))
    manuscript = native_manuscript("\n".join(pieces))
    made = assemble(manuscript)
    set_words, log = set_by_latex(made.files, tmp_path, made.main)
    assert re.findall(r"Overfull[^\n]*", log) == []
    preview = text_of(render_preview(manuscript).pdf)
    for read in (set_words, preview):
        assert "Table 1.5: Wide" in " ".join(read.split()), read[:2000]
        assert "3pt" not in read


def test_a_sign_stands_only_for_what_has_no_letter() -> None:
    settable = "Grüße α ≤ – “x”"
    assert replace_unprintable(settable) == (settable, [])
    assert replace_unprintable("a देव b😀😀c") == ("a ? b?c", ["देव", "😀😀"])
    assert unicodedata.name("?") == "QUESTION MARK"


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return "\n".join(document[number].get_textpage().get_text_range() for number in range(len(document)))
    finally:
        document.close()


@pytest.fixture
def thesis(project: Project, owner: User) -> Project:
    """A thesis whose results have the sentence, the table and the figure of an analysis."""
    section = project.sections.get(slug="results")
    put = insert_as_proposal(
        section, owner, result_insertion(section, answered(project, owner), ("sentence", "table:main", "figure:box"))
    )
    accept_blocks(put, owner)
    return project


@needs_latex
@pytest.mark.django_db
def test_table_and_figure_are_in_the_pdf(thesis: Project, tmp_path: Path) -> None:
    made, problems, notes, assembled = printed(manuscript_of(thesis), tmp_path / "set", Limits(seconds=60))
    assert made.pdf is not None, made.log[-2000:]
    assert [one["title"] for one in [*problems, *notes] if "eference" in one["title"] or one["level"] == "error"] == []
    read = " ".join(text_of(made.pdf).split())
    assert "Height was 4.25 in full" in read
    assert "Height by shade" in read
    assert "Welch two-sample t-test. No values were missing." in read
    assert "Box" in read, "the words inside the figure"
    assert any(path.endswith("analysis-1-box.pdf") for path in assembled.files)


@pytest.mark.django_db
def test_table_and_figure_are_in_the_preview_and_in_word(thesis: Project) -> None:
    manuscript = manuscript_of(thesis)
    preview = render_preview(manuscript)
    assert preview.notes == []
    read = " ".join(text_of(preview.pdf).split())
    word = docx_of_thesis(manuscript)
    document: Any = Document(io.BytesIO(word.data))
    said = " ".join(one.text for one in document.paragraphs)
    for text in (read, said):
        assert "No values were missing." in text, "what stands below a table"
        assert "Height by shade" in text
    assert "4.25" in read
    assert re.search(r"\(Table \d+\.1, Figure \d+\.1\)", read), "each is named by its number"
    assert [cell.text.strip() for cell in document.tables[-1].rows[1].cells] == ["full", "4", "4.25", "0.002"]
    assert len(document.inline_shapes) == 1
    assert not [note for note in word.notes if "figure" in note.lower() or "picture" in note.lower()]
