"""Comments of a Word file are imported at their words, or listed (SPEC T2)."""

from xml.sax.saxutils import escape

import pytest

from projects.models import User
from sections.comments import threads_of
from sections.models import Comment, Section
from tests.thesis.imported_word import BOLD, BOX, body, imported, unplaced
from tests.thesis.word_files import (
    MENON,
    OKORO,
    comment,
    mendeley_cite,
    para,
    text,
    zotero,
    zotero_instruction,
    zotero_item,
)

pytestmark = pytest.mark.django_db


def test_comments_are_at_their_words(owner: User) -> None:
    latex, result = imported(
        owner,
        para(text("Alder "), comment(0, text("fixes "), text("nitrogen", BOLD)), text(" in poor soils.")),
        para(text("Roots "), comment(2, zotero("(1)", zotero_item(MENON))), text(" and leaves.")),
        comments=[
            {"author": "Dr Iyer", "date": "2024-05-03T14:05:00Z", "text": "Which trials?", "done": True},
            {"author": "Asha", "date": "2024-05-04T09:00:00Z", "text": "Two of them.", "to": 0},
            {"author": "Dr Iyer", "date": "2024-05-05T09:00:00Z", "text": "Only one?"},
            {"author": "Dr Iyer", "date": "2024-05-05T09:00:00Z", "text": "Nowhere."},
        ],
    )
    assert body(latex) == "Alder fixes \\textbf{nitrogen} in poor soils.\n\nRoots \\cite{menon2019} and leaves."
    first, second = threads_of(Section.objects.get())
    assert (first.words, second.words) == ("fixes \\textbf{nitrogen}", "\\cite{menon2019}")
    assert first.comment.body == "Dr Iyer in Word on 3 May 2024, 14:05:\n\nWhich trials?"
    assert [one.body for one in first.replies] == ["Asha in Word on 4 May 2024, 09:00:\n\nTwo of them."]
    assert first.comment.resolved_at
    assert not second.comment.resolved_at
    assert Comment.objects.count() == 3
    assert unplaced(result) == [("Nowhere.", "Its words are not in the imported text.")]
    assert (
        "3 comments are at their words, 1 of them resolved, with the name and the day in each."
        in result["word"]["came"]
    )


def test_comments_in_odd_places(owner: User) -> None:
    """In a simple field, a content control, deleted words and a text box; an answer that comes first in the file."""
    deleted = f'<w:del w:id="7" w:author="x">{comment(2, "<w:r><w:delText>gone</w:delText></w:r>")}</w:del>'
    instruction = escape(zotero_instruction(zotero_item(MENON)), {'"': "&quot;"})
    simple = f'<w:fldSimple w:instr="{instruction}">{comment(0, text("(1)"))}'
    control = mendeley_cite("(Okoro)", OKORO).replace(text("(Okoro)"), comment(1, text("(Okoro)")))
    latex, result = imported(
        owner,
        para(text("Alder "), simple, "</w:fldSimple>", text(".")),
        para(text("Birch "), control, text(".")),
        para(text("Spruce "), deleted, text(".")),
        para(text("Oak"), BOX.format(para(comment(4, text("boxed"))))),
        comments=[
            {"author": "A", "date": "", "text": "Simple?"},
            {"author": "A", "date": "", "text": "Control?"},
            {"author": "A", "date": "", "text": "Deleted?"},
            {"author": "B", "date": "", "text": "It is.", "to": 4},
            {"author": "A", "date": "", "text": "Boxed?"},
        ],
    )
    assert body(latex) == "Alder \\cite{menon2019}.\n\nBirch \\cite{okoro2015}.\n\nSpruce .\n\nOak\n\nboxed"
    threads = threads_of(Section.objects.get())
    assert [one.words.strip() for one in threads] == ["\\cite{menon2019}", "\\cite{okoro2015}", "Spruce", "boxed"]
    assert [one.body for one in threads[-1].replies] == ["B in Word:\n\nIt is."]
    assert [one["what"] for one in result["word"]["unplaced"]] == ["1 text box is in the text"]


def test_a_comment_without_a_place_is_listed_in_full(owner: User) -> None:
    long = "many words " * 100
    _, result = imported(owner, para(text("x")), comments=[{"author": "A", "date": "", "text": long}])
    assert unplaced(result) == [(long.strip(), "Its words are not in the imported text.")]
