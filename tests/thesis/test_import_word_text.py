"""What pandoc does not read of a Word file is moved into the text or listed (SPEC T2, P1)."""

import pytest

from jobs.models import State
from projects.models import User
from sections.comments import threads_of
from sections.models import Section
from tests.thesis.imported_word import BOX, body, imported, unplaced
from tests.thesis.make_thesis import imported_file, unzipped, zipped
from tests.thesis.word_files import MENON, OKORO, W, comment, field, heading, para, text, word_file, zotero, zotero_item

pytestmark = pytest.mark.django_db


def test_a_file_without_any_of_it_is_converted_as_before(owner: User) -> None:
    latex, result = imported(owner, para(text("Plain \ue900 words."), field("PAGE", "7")))
    assert body(latex) == "Plain \ue900 words.7"
    assert result["word"] is None


def test_what_nothing_here_reads_is_told(owner: User) -> None:
    bookmark = '<w:bookmarkStart w:id="3" w:name="ZOTERO_BREF_x"/>' + text("(Menon)") + '<w:bookmarkEnd w:id="3"/>'
    latex, result = imported(
        owner,
        para(field("CITATION Men19 \\l 1033", "(Menon, 2019)"), bookmark),
        para(field("ADDIN CitaviPlaceholder{eyI}", "(Das 2020)"), field("ADDIN CitaviPlaceholder{eyJ}", "(Rao 2020)")),
        '<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId99"/>',
    )
    assert body(latex) == "(Menon, 2019)(Menon)\n\n(Das 2020)(Rao 2020)"
    assert [(one["what"], one["why"].partition(",")[0]) for one in result["word"]["unplaced"]] == [
        ("1 citation as plain text", "Citations of Word’s own list of sources are not read."),
        ("2 citations as plain text", "Citations of Citavi are not read."),
        ("1 citation as plain text", "Zotero citations stored as bookmarks are not read. In Word"),
        ("1 embedded object was left out", "Charts"),
    ]


def test_citations_of_google_docs_and_unformatted_ones_are_told(owner: User) -> None:
    link = '<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="{}">{}'
    data = word_file(
        heading("A"),
        para(*(f"{link.format(f'rId9{at}', text(f'({at})'))}</w:hyperlink>" for at in range(3))),
        para(text("Alder {Menon, 2019 #12;"), text("Okoro, 2015 #7} grows {not this} #4 {nor #that}.")),
    )
    parts = unzipped(data)
    addresses = ("https://www.zotero.org/google-docs/?aB3", "https://paperpile.com/c/x/y", "https://www.zotero.org/")
    rows = "".join(
        f'<Relationship Id="rId9{at}" Target="{one}" TargetMode="External" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/hyperlink"/>'
        for at, one in enumerate(addresses)
    )
    rels = "word/_rels/document.xml.rels"
    parts[rels] = parts[rels].replace(b"</Relationships>", f"{rows}</Relationships>".encode())
    made, job = imported_file(owner, zipped(parts), "a.docx")
    assert job.state == State.DONE, job.reason
    assert "\\href{https://www.zotero.org/google-docs/?aB3}{(0)}" in Section.objects.get(project=made.project).latex
    assert [(one["what"], one["why"].partition(".")[0]) for one in (made.result or {})["word"]["unplaced"]] == [
        ("1 citation as plain text", "Unformatted EndNote citations are not read"),
        ("1 citation as plain text", "Citations by Zotero in Google Docs are links without data of the works"),
        ("1 citation as plain text", "Citations by Paperpile in Google Docs are links without data of the works"),
    ]


def test_words_that_pandoc_leaves_out_are_in_the_text(owner: User) -> None:
    cited = zotero("(1)", zotero_item(MENON))
    inner = BOX.format(para(text("Inner box.")))
    latex, result = imported(
        owner,
        para(text("Before"), BOX.format(para(text("Box "), cited, inner) + para(text("Two."))), text(" after.")),
        para('<w:bdo w:val="rtl">', text("עברית "), cited, "</w:bdo>", "<w:dir>", text(" עוד"), "</w:dir>"),
        para('<w:customXml w:element="z">', text("Custom"), "</w:customXml>"),
        para(f"<w:r><w:ruby><w:rt>{text('ji')}</w:rt><w:rubyBase>{text('字')}</w:rubyBase></w:ruby></w:r>"),
    )
    assert body(latex) == (
        "Before after.\n\nBox \\cite{menon2019}\n\nInner box.\n\nTwo.\n\nעברית \\cite{menon2019} עוד\n\nCustom\n\nji字"
    )
    assert result["word"]["came"][0] == "2 citations from Zotero."
    assert [one["what"] for one in result["word"]["unplaced"]] == ["2 text boxes are in the text"]


def test_parts_that_are_damaged_or_named_differently(owner: User) -> None:
    """A damaged comment costs no citation, and neither does the strict variant of the format or a renamed part."""
    data = word_file(
        heading("A"),
        para(text("Alder "), zotero("(1)", zotero_item(MENON)), comment(0, text("grows"))),
        comments=[{"author": "Dr Iyer", "date": "", "text": "Where?"}],
    )
    parts = unzipped(data)
    rels = parts["word/_rels/document.xml.rels"]
    strict = {
        path: part.replace(W.encode(), b"http://purl.oclc.org/ooxml/wordprocessingml/main")
        for path, part in parts.items()
    }
    renamed = {
        path.replace("document.xml", "document2.xml"): part.replace(b"document.xml", b"document2.xml")
        for path, part in parts.items()
    }
    damaged = {**parts, "word/comments.xml": b"<w:comments", "word/_rels/document.xml.rels": rels}
    for other, threads in ((strict, 1), (renamed, 1), (damaged, 0)):
        made, job = imported_file(owner, zipped(other), "a.docx")
        assert job.state == State.DONE, job.reason
        section = Section.objects.get(project=made.project)
        assert "Alder \\cite{menon2019}grows" in section.latex
        assert len(threads_of(section)) == threads
    assert "Damaged or too large to read: word/comments.xml." in (made.result or {})["rows"][0]["warnings"][0]


def test_words_of_headers_are_told(owner: User) -> None:
    data = word_file(heading("A"), para(text("Words.")))
    header = f'<w:hdr xmlns:w="{W}">{para(text("Draft of May "), zotero("[9]", zotero_item(OKORO)))}</w:hdr>'
    footer = f'<w:ftr xmlns:w="{W}">{para(field("PAGE", "7"))}</w:ftr>'
    parts = {
        "word/header1.xml": header.encode(),
        "word/header2.xml": header.encode(),
        "word/footer1.xml": footer.encode(),
    }
    made, _ = imported_file(owner, zipped({**unzipped(data), **parts}), "a.docx")
    assert unplaced(made.result or {}) == [("Draft of May [9]", "Scholium prints its own headers and footers.")]


def test_private_characters_of_a_file_are_no_marks(owner: User) -> None:
    """Also where they are written as numbers."""
    latex, _ = imported(
        owner, para(zotero("(1)", zotero_item(MENON)), "<w:r><w:t>&#xE90A;&#xE909;&#xE90F;</w:t></w:r>")
    )
    assert body(latex) == "\\cite{menon2019}\ue90a\ue909\ue90f"
