"""Citations of Zotero, Mendeley and EndNote in a Word file become `\\cite`, its comments comments of the sections (SPEC
T2, C10)."""

from typing import Any
from xml.sax.saxutils import escape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from citations.models import Citation
from jobs.models import Job, State
from projects.models import Project, User
from sections.comments import threads_of
from sections.models import Comment, Section, TextImport
from tests.people import signed_in
from tests.thesis.make_thesis import done, imported_file, unzipped, zipped
from tests.thesis.word_files import (
    MENON,
    OKORO,
    RECORD,
    W,
    comment,
    endnote,
    field,
    heading,
    long_endnote,
    mendeley,
    mendeley_cite,
    para,
    text,
    word_file,
    zotero,
    zotero_instruction,
    zotero_item,
    zotero_list,
)

pytestmark = pytest.mark.django_db

BOLD = "<w:rPr><w:b/></w:rPr>"
RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'


def imported(user: User, *paragraphs: str, into: Project | None = None, **more: Any) -> tuple[str, dict[str, Any]]:
    """The LaTeX of all sections of an imported Word file, and the report of its import."""
    made, job = imported_file(user, word_file(heading("Introduction"), *paragraphs, **more), "draft.docx", into=into)
    assert job.state == State.DONE, job.reason
    sections = Section.objects.filter(project=made.project).order_by("number")
    return "\n".join(section.latex for section in sections), made.result or {}


def body(latex: str) -> str:
    """The text after the first heading."""
    return latex.partition("\\label{introduction}")[2].strip()


def unplaced(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["text"], one["why"]) for one in result["word"]["unplaced"]]


def test_a_citation_of_each_manager(owner: User) -> None:
    latex, result = imported(
        owner,
        para(
            text("Alder "),
            zotero("(see Menon, 2019, pp. 12-13)", zotero_item(MENON, locator="12-13", label="page", prefix="see")),
            text(", soil "),
            mendeley("(Okoro 2015)", OKORO),
            text(", both "),
            zotero("(Menon, 2019; Okoro, 2015)", zotero_item(MENON), zotero_item(OKORO)),
            text(", again "),
            mendeley_cite("(Menon & Müller, 2019)", MENON),
            text(", roots "),
            endnote("(Iyer, 2021)"),
            text(", Iyer "),
            long_endnote("(2021, p. 4)", attributes=' ExcludeAuth="1"', more="<Pages>4</Pages>"),
            text("."),
        ),
    )
    assert body(latex) == (
        "Alder \\cite[see][pp.~12-13]{menon2019}, soil \\cite{okoro2015}, both \\cite{menon2019,okoro2015}, again "
        "\\cite{menon2019}, roots \\cite{iyer2021}, Iyer \\citeyearpar[p.~4]{iyer2021}."
    )
    rows = {row.cite_key: row for row in Citation.objects.all()}
    assert set(rows) == {"menon2019", "okoro2015", "iyer2021"}
    assert rows["menon2019"].doi == "10.1000/alder.2019.12"
    assert rows["menon2019"].csl["container-title"] == "Journal of Forest Soils"
    iyer = rows["iyer2021"].csl
    assert iyer["author"] == [{"family": "Iyer", "given": "Meera"}, {"literal": "Soil Group"}]
    assert (iyer["title"], iyer["type"], iyer["volume"]) == ("Roots of the alder", "article-journal", "4")
    assert all(row.status == Citation.Status.UNRESOLVED and not row.tier and row.check_due_at for row in rows.values())
    assert result["word"]["came"] == [
        "2 citations from EndNote, 1 citation from Mendeley, 1 citation from Mendeley Cite, 2 citations from Zotero.",
        "3 references: 3 added. Each is looked up.",
    ]
    assert unplaced(result) == []


def test_works_that_are_there_already_are_found_again(owner: User, project: Project) -> None:
    Citation.objects.create(
        project=project, serial=1, cite_key="mine", title=MENON["title"], doi=MENON["DOI"].upper(), csl={
            "type": "article-journal", "title": MENON["title"], "DOI": MENON["DOI"].upper()}, year=2019
    )  # fmt: skip
    latex, result = imported(owner, para(zotero("(Menon)", zotero_item(MENON), zotero_item(OKORO))), into=project)
    assert "\\cite{mine,okoro2015}" in latex
    assert Citation.objects.filter(project=project).count() == 2
    assert "2 references: 1 added, 1 there already. Each is looked up." in result["word"]["came"]


def test_a_citation_by_number_loses_its_raised_figure(owner: User) -> None:
    latex, _ = imported(owner, para(text("Alder."), zotero("1", zotero_item(MENON), format=RAISED)))
    assert body(latex) == "Alder.\\cite{menon2019}"


def test_broken_fields_keep_their_text_and_are_listed(owner: User) -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    code = "<w:r><w:instrText>ADDIN ZOTERO_ITEM CSL_CITATION {}</w:instrText></w:r>"
    unclosed = f'{begin}{code}<w:r><w:fldChar w:fldCharType="separate"/></w:r>{text("(never closed)")}'
    nested = zotero("(outer)", zotero_item(MENON)).replace(
        text("(outer)"), text("(outer ") + endnote("Iyer") + text(")")
    )
    latex, result = imported(
        owner,
        para(text("A "), zotero("(cut off)", zotero_item(MENON), cut=60, format=RAISED), text(" b.")),
        para(text("C "), unclosed, text(" d.")),
        para(text("E "), nested, text(" f.")),
        para(text("G "), code, text("(stray) h.")),
        para(text("I "), endnote("(no record)", record=""), text(" j.")),
        para(text("K "), mendeley("(fine)", OKORO), text(" l.")),
        para(text("M "), mendeley_cite("(torn)", OKORO).replace("v3_", "v3_!"), text(" n.")),
    )
    assert body(latex) == (
        "A \\textsuperscript{(cut off)} b.\n\nC (never closed) d.\n\nE (outer \\cite{iyer2021}) f.\n\n"
        "G (stray) h.\n\nI (no record) j.\n\nK \\cite{okoro2015} l.\n\nM (torn) n."
    )
    listed = dict(unplaced(result))
    assert set(listed) == {"(cut off)", "(never closed) d.", "(outer Iyer)", "", "(no record)", "(torn)"}
    assert listed["(cut off)"] == "Its text was kept: the data of its works is cut off or damaged."
    assert listed["(outer Iyer)"].startswith("Its text was kept: another citation is inside its field.")
    assert result["word"]["unplaced"][0]["where"] == "Introduction, after “A”"


def test_text_that_was_changed_by_hand_is_told(owner: User) -> None:
    latex, result = imported(owner, para(zotero("(Menon, in press)", zotero_item(MENON), plain="(Menon, 2019)")))
    assert body(latex) == "\\cite{menon2019}"
    [(shown, why)] = unplaced(result)
    assert shown == "(Menon, in press)"
    assert "the data say “(Menon, 2019)”" in why


def test_citations_in_notes_headings_tables_and_tracked_changes(owner: User) -> None:
    deleted = f'<w:del w:id="1" w:author="x">{zotero("(gone)", zotero_item(OKORO))}</w:del>'
    cell = f"<w:tc><w:p>{endnote('(Iyer, 2021)')}</w:p></w:tc>"
    table = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>"
    made = word_file(
        para(text("Soil "), zotero("(1)", zotero_item(MENON)), style="Heading1"),
        para(text("Words"), deleted, text(".")),
        table,
        para(text("End.")),
    )
    found, job = imported_file(owner, made, "a.docx")
    assert job.state == State.DONE, job.reason
    section = Section.objects.get(project=found.project)
    assert section.title == "Soil"
    assert section.latex.startswith("\\chapter{Soil \\cite{menon2019}}")
    assert "\\cite{iyer2021}" in section.latex
    assert Citation.objects.count() == 2


ENTRIES = (
    "1. Menon A, Müller I. Alder fixes nitrogen in poor soils. J For Soils. 2019;12(3):101-19.",
    "2. Okoro N. Soils & trees. Birch Press; 2015.",
)
UNCITED = "3. Das K, Rao S. Roots that nobody cites here. Ann Bot. 2020;4(1):7-19."


def test_the_own_list_of_a_manager_is_not_imported_as_text(owner: User) -> None:
    latex, result = imported(
        owner,
        para(text("Alder "), zotero("(1,2)", zotero_item(MENON), zotero_item(OKORO)), text(".")),
        heading("Literatur"),
        zotero_list(*ENTRIES),
        heading("Appendix"),
        para(text("More.")),
    )
    assert body(latex) == ("Alder \\cite{menon2019,okoro2015}.\n\n\n\\chapter{Appendix}\\label{appendix}\n\nMore.")
    assert any("2 entries of the list of references that Zotero made" in one for one in result["word"]["came"])
    assert unplaced(result) == []


def test_what_is_not_cited_stays_in_the_list(owner: User) -> None:
    """A work that is in the list without a citation, and words beside the list, are nowhere else."""
    listed = zotero_list(*ENTRIES, UNCITED).replace('<w:pStyle w:val="Bibliography"/>', '<w:ind w:left="720"/>', 1)
    listed = f"{listed.removesuffix('</w:p>')}{text(' As of May.')}</w:p>"
    latex, result = imported(
        owner, para(zotero("(1,2)", zotero_item(MENON), zotero_item(OKORO))), heading("References"), listed
    )
    assert latex.endswith(f"\\chapter{{References}}\\label{{references}}\n\n{UNCITED} As of May.\n")
    assert [shown for shown, _ in unplaced(result)] == [UNCITED]
    assert set(Citation.objects.values_list("cite_key", flat=True)) == {"menon2019", "okoro2015", "das2020"}


def test_the_list_stays_where_a_citation_could_not_be_read(owner: User) -> None:
    latex, _ = imported(
        owner,
        para(zotero("(1)", zotero_item(MENON)), zotero("(2)", zotero_item(OKORO), cut=70)),
        heading("References"),
        zotero_list(*ENTRIES),
    )
    assert "2. Okoro N. Soils" in latex


def test_works_of_a_citation_that_stays_as_text_are_references(owner: User) -> None:
    latex, result = imported(
        owner, para(zotero("[1, 2]", zotero_item(MENON), {"id": 9, "uris": ["http://zotero.org/users/1/items/X"]}))
    )
    assert body(latex) == "{[}1, 2{]}"
    assert unplaced(result)[0][1].endswith("is missing. The works that could be read are in the citations.")
    assert Citation.objects.get().cite_key == "menon2019"


def test_how_a_work_is_cited(owner: User) -> None:
    """A style with numbers has no author to leave out; a hidden citation of EndNote is only in the list."""
    latex, _ = imported(
        owner,
        para(zotero("[3, p. 4]", zotero_item(MENON, **{"suppress-author": True}, locator="4"))),
        para(zotero("(2019)", zotero_item(MENON, **{"suppress-author": True}))),
        para(endnote("", attributes=' Hidden="1"', more="<Pages>4</Pages>")),
    )
    assert body(latex) == "\\cite[p.~4]{menon2019}\n\n\\citeyearpar{menon2019}\n\n\\nocite{iyer2021}"


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
        ("1 citation as plain text", "They are from Word’s own list of sources"),
        ("2 citations as plain text", "They are from Citavi"),
        ("1 citation as plain text", "They are from Zotero stored as bookmarks. In Word"),
        ("1 embedded object was left out", "Charts"),
    ]


BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice '
    'Requires="wps"><w:drawing><w:txbxContent>{0}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict>'
    "<w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


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


def test_page_api_and_command_tell_the_same(owner: User, outsider: User, tmp_path: Any, capsys: Any) -> None:
    data = word_file(heading("A"), para(zotero("(cut)", zotero_item(MENON), cut=60), mendeley("(b)", OKORO)))
    client = signed_in(owner)
    answer = client.post(reverse("thesis:bring"), {"file": SimpleUploadedFile("a.docx", data)})
    made = TextImport.objects.get()
    done(Job.objects.get(subject=made.pk))
    page = client.get(answer.headers["Location"]).content.decode()
    assert "1 citation from Mendeley" in page
    assert "Citation by Zotero" in page
    said = client.get(f"/api/brought/{made.pk}").json()
    assert said["unplaced"][0]["text"] == "(cut)"
    assert said["came"][0].startswith("1 citation from Mendeley")
    assert signed_in(outsider).get(answer.headers["Location"]).status_code == 404
    path = tmp_path / "a.docx"
    path.write_bytes(data)
    call_command("import_thesis", str(path), user=owner.email)
    told = capsys.readouterr().err
    assert "Citation by Zotero “(cut)” (A). Its text was kept" in told
    assert "1 citation from Mendeley" in told


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


def test_a_record_that_is_hostile_xml(owner: User) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + RECORD
    latex, result = imported(owner, para(field(f"ADDIN EN.CITE {bomb}<EndNote><Cite>&a;</Cite></EndNote>", "(x)")))
    assert body(latex) == "(x)"
    assert unplaced(result)


def test_works_that_only_share_a_title_stay_two(owner: User) -> None:
    """Nothing says that two editorials of one year are one work."""
    one = {
        "id": 1,
        "type": "article-journal",
        "title": "Editorial",
        "container-title": "Trees",
        "issued": {"date-parts": [[2020]]},
    }
    other = {**one, "id": 2, "container-title": "Soils"}
    latex, _ = imported(owner, para(zotero("(1)", zotero_item(one)), text(" "), zotero("(2)", zotero_item(other))))
    assert body(latex) == "\\cite{editorial2020} \\cite{editorial2020b}"
