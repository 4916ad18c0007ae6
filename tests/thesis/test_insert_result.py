"""A result goes into a section: sentence, table and figure as a proposal, where each comes from beside it
(SPEC N2, T7)."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils.html import escape

from analysis.models import Analysis
from core.errors import Refused
from projects.models import Project, User
from sections.models import Section, ThesisFile
from tests.analysis.results import answer, answered, data_of, drawn, requested_analysis, table
from tests.people import signed_in
from tests.thesis.minimal_latex import quick_thesis
from thesis.drafting.accept import accept_blocks
from thesis.drafting.limits import drafting_usage
from thesis.drafting.proposal import Placement, insert_as_proposal
from thesis.insert.results import parts_of, result_insertion
from thesis.models import Draft

pytestmark = pytest.mark.django_db

ALL = ("sentence", "table:main", "figure:box")


@pytest.fixture
def analysis(project: Project, owner: User) -> Analysis:
    return answered(project, owner)


@pytest.fixture
def section(project: Project) -> Section:
    return project.sections.get(slug="results")


def test_sentence_table_and_figure_become_a_proposal(analysis: Analysis, owner: User, section: Section) -> None:
    before = section.latex
    draft = insert_as_proposal(section, owner, result_insertion(section, analysis, ALL))
    assert (draft.kind, draft.job, draft.keys, draft.cite_keys) == (Draft.Kind.RESULT, None, [], [])
    assert draft.findings == [{"analysis": str(analysis.pk)}]
    origin = f"% From analysis 1 “Does height differ with shade?” (analysis {analysis.pk}), alders.csv version 1"
    sentence, table, figure = draft.latex.strip().split("\n\n")
    assert sentence == (
        r"Height was 4.25 in full and 5.43 in half (\emph{t}(5.9) = $-$5.09, \emph{p} = 0.002) "
        rf"(Table~\ref{{tab:analysis-1-main}}, Figure~\ref{{fig:analysis-1-box}}).{chr(10)}{origin}"
    )
    assert table.startswith("\\begin{table}[htbp]")
    assert table.endswith(f"\\end{{table}}\n{origin}")
    assert r"\includegraphics[width=0.62\linewidth]{figures/analysis-1-box.pdf}" in figure
    assert figure.endswith(f"\\end{{figure}}\n{origin}")
    file = ThesisFile.objects.get(project=section.project, path="figures/analysis-1-box.pdf")
    assert (file.media_type, file.added_by) == ("application/pdf", owner)
    section.refresh_from_db()
    assert section.latex == before, "a proposal changes no text"
    assert drafting_usage(section, owner).hour_used == 0, "no engine was asked"


def test_it_is_taken_as_every_proposal_is(analysis: Analysis, owner: User, section: Section) -> None:
    draft = insert_as_proposal(section, owner, result_insertion(section, analysis, ("table:main",)))
    accept_blocks(draft, owner)
    section.refresh_from_db()
    assert r"\label{tab:analysis-1-main}" in section.latex
    again = insert_as_proposal(section, owner, result_insertion(section, analysis, ("table:main", "sentence")))
    assert r"\label{tab:analysis-1-main-2}" in again.latex, "a label is there once in a thesis"
    assert any("Already in this section: analysis 1" in note for note in again.notes)


def test_the_same_figure_is_kept_once(analysis: Analysis, owner: User, section: Section) -> None:
    for _ in range(2):
        insert_as_proposal(section, owner, result_insertion(section, analysis, ("figure:box",)))
    assert ThesisFile.objects.filter(project=section.project, kind="picture").count() == 1


def test_a_figure_without_pdf_comes_as_png(project: Project, owner: User, section: Section) -> None:
    row = answered(project, owner, answer(figures=drawn("scatter", formats=("png",))))
    draft = insert_as_proposal(section, owner, result_insertion(section, row, ("figure:scatter",)))
    assert "{figures/analysis-1-scatter.png}" in draft.latex


def test_it_says_what_should_be_known_of_it(project: Project, owner: User, section: Section) -> None:
    said = answer(
        warnings=[{"code": "x", "message": "Only 3 events.", "columns": []}],
        assumptions=[
            {"id": "n", "test": "Shapiro-Wilk", "status": "concern", "text": "Skewed.", "statistic": 1, "p": 0.01}
        ],
    )
    row = answered(project, owner, said)
    data_of(project, number=2)
    notes = insert_as_proposal(section, owner, result_insertion(section, row, ("sentence",))).notes
    assert notes == [
        "The data has a newer version. Run the analysis again before you use it.",
        "Only 3 events.",
        "Shapiro-Wilk: Skewed.",
    ]


def test_letters_that_cannot_be_printed_get_a_sign_and_are_named(
    project: Project, owner: User, section: Section
) -> None:
    rows = [{"group": "देवनागरी 😀 é α", "n": 1}]
    row = answered(project, owner, answer(tables=[table(rows)], figures=drawn(caption="Höhe 😀")))
    draft = insert_as_proposal(section, owner, result_insertion(section, row, ("table:main", "figure:box")))
    assert r"? ? é $\alpha$ & 1" in draft.latex
    assert r"\caption{Höhe ?}" in draft.latex
    assert any("“देवनागरी”, “😀”" in note for note in draft.notes)


def test_a_title_with_line_ends_and_commands_stays_in_its_comment(
    project: Project, owner: User, section: Section
) -> None:
    row = answered(project, owner, title="50 %\n\\end{document} \u2028 x")
    latex = insert_as_proposal(section, owner, result_insertion(section, row, ("sentence",))).latex
    assert [line[:1] for line in latex.strip().split("\n")] == ["H", "%"]


def test_at_a_place_in_the_text(analysis: Analysis, owner: User, section: Section) -> None:
    section.write("One.\n\nTwo.\n", based_on=section.version, by=owner)
    section.refresh_from_db()
    draft = insert_as_proposal(
        section,
        owner,
        result_insertion(section, analysis, ("sentence",)),
        Placement(place="range", start=5, based_on=section.version),
    )
    assert draft.base_latex[: draft.start] == "One.\n"
    with pytest.raises(Refused, match="changed in the meantime"):
        insert_as_proposal(
            section,
            owner,
            result_insertion(section, analysis, ("sentence",)),
            Placement(place="range", start=5, based_on=section.version - 1),
        )
    assert not ThesisFile.objects.filter(project=section.project, kind="picture").exists()


@pytest.mark.parametrize(
    ("parts", "said"),
    [((), "Choose a part"), (("table:other",), "This result has no part table:other"),
     (("figure:",), "no part figure:"), (["sentence"] + [f"x{n}" for n in range(41)], "At most 40")],
)  # fmt: skip
def test_parts_there_are_not(analysis: Analysis, owner: User, section: Section, parts: Any, said: str) -> None:
    with pytest.raises(Refused, match=said):
        insert_as_proposal(section, owner, result_insertion(section, analysis, parts))
    assert not Draft.objects.exists()


def test_no_result_yet_and_another_thesis(project: Project, owner: User, section: Section) -> None:
    with pytest.raises(Refused, match="no result yet"):
        insert_as_proposal(section, owner, result_insertion(section, requested_analysis(project, owner), ("sentence",)))
    elsewhere = Project.objects.create_for(owner, title="Another")
    with pytest.raises(Refused, match="another thesis"):
        insert_as_proposal(section, owner, result_insertion(section, answered(elsewhere, owner), ("sentence",)))


def test_a_figure_that_the_disk_has_lost(analysis: Analysis, owner: User, section: Section) -> None:
    figure = analysis.figures.get()
    figure.pdf.storage.delete(str(figure.pdf.name))
    with pytest.raises(Refused, match="The file of this figure is missing"):
        insert_as_proposal(section, owner, result_insertion(section, analysis, ALL))
    assert not Draft.objects.exists()


def test_a_brought_thesis_gets_only_what_its_preamble_loads(project: Project, owner: User) -> None:
    (section,) = quick_thesis(project, "Results.\n", preamble="\\usepackage{graphicx}\n")
    row = answered(project, owner)
    draft = insert_as_proposal(section, owner, result_insertion(section, row, ALL))
    assert r"\hline" in draft.latex
    assert "toprule" not in draft.latex
    assert not any("graphicx" in note for note in draft.notes)


# The page


def page(analysis: Analysis, **query: str) -> str:
    return reverse("thesis:put_result", args=[analysis.project_id, analysis.pk], query=query or None)


def test_the_page_offers_each_part_and_shows_what_would_come(analysis: Analysis, owner: User) -> None:
    assert [part.key for part in parts_of(analysis)] == list(ALL)
    text = signed_in(owner).get(page(analysis)).content.decode()
    assert re.findall(r'name="part" value="([^"]+)" checked', text) == list(ALL)
    assert re.search(r'<option value="results" selected>', text)
    assert escape(r"\begin{table}[htbp]") in text
    assert not ThesisFile.objects.filter(kind="picture").exists(), "looking keeps no file"


def test_htmx_gets_only_what_would_come(analysis: Analysis, owner: User) -> None:
    client = signed_in(owner)
    text = client.get(
        page(analysis, asked="1", part="sentence", section="results"), headers={"HX-Request": "true"}
    ).content.decode()
    assert text.strip().startswith("<section")
    assert "Height was 4.25" in text
    assert "begin{table}" not in text
    nothing = client.get(page(analysis, asked="1"), headers={"HX-Request": "true"}).content.decode()
    assert "Select a part of the result" in nothing


def test_proposing_leads_to_the_section(analysis: Analysis, owner: User, section: Section) -> None:
    response = signed_in(owner).post(page(analysis), {"asked": "1", "part": list(ALL), "section": "results"})
    assert response.headers["Location"].endswith("/results/?beside=draft")
    draft = Draft.objects.get()
    assert draft.section == section
    shown = signed_in(owner).get(f"/projects/{section.project_id}/sections/results/draft/").content.decode()
    assert "(number after insertion)" in shown, "the sentence refers to the table of the same proposal"
    assert "??" not in shown
    refused = signed_in(owner).post(page(analysis), {"asked": "1", "part": "table:no", "section": "results"})
    assert refused.status_code == 422
    assert "This result has no part table:no" in refused.content.decode()


TWO_HEADINGS = "\\section{First}\nOne.\n\n\\subsection{Inner}\nTwo.\n\n\\section{Second}\nThree.\n"


def test_it_goes_below_the_heading_that_is_chosen(analysis: Analysis, owner: User, section: Section) -> None:
    section = section.write(TWO_HEADINGS, based_on=section.version, by=owner)
    client = signed_in(owner)
    shown = client.get(page(analysis, section=section.slug)).content.decode()
    places = dict(re.findall(r'<option value="(\d+-\d+)">At the end of “[\d. ]*(\w+)”', shown))
    assert places == {f"{section.version}-{TWO_HEADINGS.index(chr(92) + 'section{Second}')}": "First"}


def test_a_place_of_another_text_is_refused(analysis: Analysis, owner: User, section: Section) -> None:
    section = section.write(TWO_HEADINGS, based_on=section.version, by=owner)
    place = f"{section.version}-{TWO_HEADINGS.index(chr(92) + 'section{Second}')}"
    sent = {"section": section.slug, "part": "sentence", "asked": "1"}
    for wrong in (f"{section.version}-3", "x", f"{section.version + 1}-9", "1-" + "9" * 40):
        answer = signed_in(owner).post(page(analysis), {**sent, "place": wrong})
        assert answer.status_code == 422
        assert "Choose the place again" in answer.content.decode()
    assert not Draft.objects.exists()
    assert signed_in(owner).post(page(analysis), {**sent, "place": place}).status_code == 302
    draft = Draft.objects.get()
    accept_blocks(draft, owner)
    section.refresh_from_db()
    order = [section.latex.index(words) for words in ("Two.", "% From analysis", "Three.")]
    assert order == sorted(order)


def test_it_goes_below_the_paragraph_of_the_cursor(analysis: Analysis, owner: User, project: Project) -> None:
    discussion = project.sections.get(slug="discussion")
    discussion = discussion.write(TWO_HEADINGS, based_on=discussion.version, by=owner)
    cursor = json.dumps({"section": "discussion", "quote": "One.", "before": "", "after": "", "start": 15})
    client = signed_in(owner)
    shown = client.get(f"{page(analysis)}?{urlencode({'cursor': cursor})}").content.decode()
    assert '<option value="discussion" selected>' in shown
    first = re.search(r'id="put-place" name="place"><option value="(\w*)"( selected)?>([^<]*)<', shown)
    assert first is not None
    assert first.groups() == ("cursor", " selected", "At the cursor, after the paragraph that begins “One”")
    sent = {"section": "discussion", "part": "sentence", "asked": "1", "place": "cursor"}
    for gone in ("", "x", cursor.replace("One.", "Nothing like it"), cursor.replace("discussion", "results")):
        assert client.post(page(analysis), {**sent, "cursor": gone}).status_code == 422
    assert client.post(page(analysis), {**sent, "cursor": cursor}).status_code == 302
    accept_blocks(Draft.objects.get(), owner)
    discussion.refresh_from_db()
    order = [discussion.latex.index(words) for words in ("One.", "% From analysis", "{Inner}")]
    assert order == sorted(order)


def test_preview_and_proposal_are_set_text(analysis: Analysis, owner: User, section: Section) -> None:
    client = signed_in(owner)
    preview = client.get(page(analysis, section=section.slug)).content.decode()
    set_text = preview.split("As it will be printed")[1].split("</div>\n")[0]
    assert '<table class="booktabs">' in set_text
    assert "<img src=" in set_text
    assert "From analysis" in set_text
    assert "\\begin" not in set_text.split("<details")[0]
    client.post(page(analysis), {"section": section.slug, "part": "table:main", "asked": "1"})
    at = f"/projects/{section.project_id}/sections/{section.slug}/draft/"
    proposal = client.get(at, headers={"HX-Request": "true"}).content.decode()
    assert '<table class="booktabs">' in proposal
    assert "\\begin{table}" not in proposal


def test_the_number_of_queries_does_not_grow_with_the_parts(
    project: Project, owner: User, django_assert_max_num_queries: Any
) -> None:
    many = [one for number in range(12) for one in drawn(f"box-{number}")]
    row = answered(project, owner, answer(figures=many, tables=[table(id=f"t{number}") for number in range(12)]))
    client = signed_in(owner)
    with django_assert_max_num_queries(19):
        assert client.get(page(row)).status_code == 200


def test_without_a_result_back_to_the_analysis(project: Project, owner: User) -> None:
    row = requested_analysis(project, owner)
    response = signed_in(owner).get(page(row))
    assert response.headers["Location"] == reverse("analysis:result", args=[project.pk, row.pk])


def test_who_may(analysis: Analysis, outsider: User, reader: User, supervisor: User) -> None:
    assert signed_in(outsider).get(page(analysis)).status_code == 404
    assert signed_in(outsider).post(page(analysis)).status_code == 404
    assert signed_in(reader).get(page(analysis)).status_code == 403
    assert signed_in(supervisor).post(page(analysis), {"part": "sentence"}).status_code == 403
    assert not Draft.objects.exists()


def test_wrong_method(analysis: Analysis, owner: User) -> None:
    assert signed_in(owner).delete(page(analysis)).status_code == 405


# The API


def test_a_program_puts_a_result_in(analysis: Analysis, owner: User, section: Section) -> None:
    client = signed_in(owner)
    parts = client.get(f"/api/analyses/{analysis.pk}/parts").json()
    assert [one["key"] for one in parts] == list(ALL)
    asked_for = {"section": str(section.pk), "parts": list(ALL)}
    at = f"/api/analyses/{analysis.pk}/put"
    shown = client.post(f"{at}/preview", asked_for, content_type="application/json").json()
    made = client.post(at, asked_for, content_type="application/json")
    assert made.status_code == 201
    assert made.json()["kind"] == "result"
    assert made.json()["latex"].strip() == shown["latex"].strip()
    refused = client.post(at, {"section": str(analysis.pk)}, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "section")


def test_who_may_by_the_api(analysis: Analysis, outsider: User, reader: User, section: Section) -> None:
    body = {"section": str(section.pk)}
    for user, status in ((outsider, 404), (reader, 403)):
        client = signed_in(user)
        assert (
            client.post(f"/api/analyses/{analysis.pk}/put", body, content_type="application/json").status_code == status
        )
    assert signed_in(reader).get(f"/api/analyses/{analysis.pk}/parts").status_code == 200
    assert signed_in(outsider).get(f"/api/analyses/{analysis.pk}/parts").status_code == 404
