"""Citations of Zotero, Mendeley and EndNote in a Word file become `\\cite` (SPEC T2, C10)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from citations.models import Citation
from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section, TextImport
from tests.people import signed_in
from tests.thesis.imported_word import RAISED, body, imported, unplaced
from tests.thesis.make_thesis import done, imported_file, unzipped, zipped
from tests.thesis.word_files import (
    MENON,
    OKORO,
    RECORD,
    W,
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
    zotero_item,
    zotero_list,
)

pytestmark = pytest.mark.django_db


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
    inserted = f'<w:ins w:id="2" w:author="x">{zotero("(1)", zotero_item(MENON))}</w:ins>'
    replaced = zotero("(1)", zotero_item(MENON)).replace(
        text("(1)"), f'<w:del w:id="3" w:author="x"><w:r><w:delText>1</w:delText></w:r></w:del>{text("(1)")}'
    )
    cell = f"<w:tc><w:p>{endnote('(Iyer, 2021)')}</w:p></w:tc>"
    table = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>"
    made = word_file(
        para(text("Soil "), zotero("(1)", zotero_item(MENON)), style="Heading1"),
        para(text("Words"), deleted, inserted, replaced, '<w:r><w:footnoteReference w:id="2"/></w:r>', text(".")),
        table,
        para(text("End.")),
    )
    note = f'<w:footnote w:id="2">{para(text("As in "), mendeley("(1)", MENON))}</w:footnote>'
    notes = f'<w:footnotes xmlns:w="{W}">{note}</w:footnotes>'.encode()
    found, job = imported_file(owner, zipped({**unzipped(made), "word/footnotes.xml": notes}), "a.docx")
    assert job.state == State.DONE, job.reason
    section = Section.objects.get(project=found.project)
    assert section.title == "Soil"
    assert section.latex.startswith("\\chapter{Soil \\cite{menon2019}}")
    assert "Words\\cite{menon2019}\\cite{menon2019}\\footnote{As in \\cite{menon2019}}." in section.latex
    assert "\\cite{iyer2021}" in section.latex
    assert Citation.objects.count() == 2


def test_one_identity_with_two_titles_is_two_works(owner: User) -> None:
    copied = {**zotero_item(OKORO), "uris": zotero_item(MENON)["uris"]}
    latex, _ = imported(owner, para(zotero("(1)", zotero_item(MENON)), text(" "), zotero("(2)", copied)))
    assert body(latex) == "\\cite{menon2019} \\cite{okoro2015}"


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


def test_a_work_that_is_refused_is_listed(owner: User) -> None:
    long = {**MENON, "title": "Alder " * 2_000}
    latex, result = imported(owner, para(zotero("[1, 2]", zotero_item(long), zotero_item(OKORO))))
    assert body(latex) == "{[}1, 2{]}"
    (work, why), (shown, _) = unplaced(result)
    assert work.startswith("Menon and Müller. Alder Alder")
    assert "is longer than" in why
    assert shown == "[1, 2]"
    assert Citation.objects.get().cite_key == "okoro2015"


def test_how_a_work_is_cited(owner: User) -> None:
    """A style with numbers has no author to leave out; a hidden citation of EndNote is only in the list."""
    latex, _ = imported(
        owner,
        para(zotero("[3, p. 4]", zotero_item(MENON, **{"suppress-author": True}, locator="4"))),
        para(zotero("(2019)", zotero_item(MENON, **{"suppress-author": True}))),
        para(endnote("", attributes=' Hidden="1"', more="<Pages>4</Pages>")),
    )
    assert body(latex) == "\\cite[p.~4]{menon2019}\n\n\\citeyearpar{menon2019}\n\n\\nocite{iyer2021}"


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
