"""A report goes into a section: what did not hold stays out, Markdown becomes LaTeX (SPEC T7, R11)."""

import re

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from latex.cite_keys import cite_commands
from projects.models import Project, User
from research.models import Run
from sections.models import Section
from tests.examples import examples
from tests.people import editor, outsider, reader, signed_in, supervisor
from tests.research.finished_run import finished, forest, owner, project, run
from thesis.drafting.proposal import insert_as_proposal
from thesis.insert.findings import level_below, report_insertion
from thesis.insert.report_latex import parts_of, report_markdown_to_latex, report_to_latex
from thesis.models import Draft

__all__ = ["editor", "finished", "forest", "outsider", "owner", "project", "reader", "run", "supervisor"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def section(project: Project) -> Section:
    return project.sections.get(slug="introduction")


def fault(run: Run, words: str, verdict: str) -> None:
    assert run.claims.filter(text__contains=words).update(
        verdict=verdict, reason="The passage is about something else."
    )


def test_a_report_comes_with_its_sources_and_where_they_are_from(run: Run, owner: User, section: Section) -> None:
    draft = insert_as_proposal(section, owner, report_insertion(section, run))
    assert re.findall(r"\\section\{(.*)\}", draft.latex) == [part.title for part in parts_of(run)]
    assert r"\subsection{Outcome}" in draft.latex
    assert r"red alder was 0.30\% after 50 years~\cite{binkley2003}." in draft.latex
    assert "References" not in draft.latex
    assert not re.search(r"\[\d+\]", draft.latex)
    assert draft.keys == ["binkley2003", "alder", "nitrate"]
    lines = draft.latex.splitlines()
    for number, line in enumerate(lines):
        keys = {key for command in cite_commands(line) for key in command.keys}
        told = [below for below in lines[number + 1 : number + 1 + len(keys)] if below.startswith("% From research “")]
        assert len(told) == len(keys), line
        assert all(f"(run {run.pk}), finding" in one for one in told)
    assert any("quotes its sources word for word" in note for note in draft.notes)


def test_what_did_not_hold_stays_out_and_is_told(run: Run, owner: User, section: Section) -> None:
    fault(run, "stayed at 0.22%", "UNSUPPORTED")
    fault(run, "not randomised", "CONTRADICTED")
    draft = insert_as_proposal(section, owner, report_insertion(section, run))
    assert "stayed at" not in draft.latex
    assert "not randomised" not in draft.latex
    assert r"rose from 0.21\% to 0.34\%" in draft.latex, "its neighbour stays"
    told = [note for note in draft.notes if note.startswith("Left out, ")]
    assert told == [
        "Left out, not supported by the passage it cites: “On plots without red alder soil nitrogen stayed at 0.22%.”",
        "Left out, contradicted by the passage it cites: “The plots with red alder were not randomised.”",
    ]
    whole = insert_as_proposal(section, owner, report_insertion(section, run, with_unsupported=True))
    assert r"stayed at 0.22\%~\cite{alder}." in whole.latex
    assert re.search(r"^% The passage cited does not bear this out \(claim C\d+\): On plots", whole.latex, re.MULTILINE)
    assert re.search(r"^% The passage cited says otherwise \(claim C\d+\): The plots", whole.latex, re.MULTILINE)


def test_marks_of_the_check_and_what_they_leave_behind(run: Run, owner: User, section: Section) -> None:
    run.report = (
        "# T\n\n> Made so.\n\n## One\n\nIt rose *(not borne out by the passage cited)*. [1] It fell, by 5%. [1]\n\n"
        "### Empty\n\n- Only this item. [2]\n\n### Full\n\n| a | b |\n"
        "|---|---|\n| 1 | 2 |\n\n[2]\n\n## Two\n\nAll gone. [1]\n\n"
        "## References\n\n[1] Somebody.\n\n[2] Somebody else.\n"
    )
    run.save()
    first = run.claims.order_by("id").first()
    assert first
    run.claims.all().delete()
    said = ["It rose (not borne out).", "It fell, by 5%.", "Only this item.", "| 1 | 2 |", "All gone."]
    for number, (text, verdict) in enumerate(
        zip(said, ["UNSUPPORTED", "SUPPORTED", "CONTRADICTED", "PARTIALLY", "UNSUPPORTED"], strict=True), 1
    ):
        first.pk, first.claim_id, first.text, first.verdict = None, f"C{number}", text, verdict
        first.save(force_insert=True)
    draft = insert_as_proposal(section, owner, report_insertion(section, run))
    assert r"It fell, by 5\%~\cite{" in draft.latex
    for gone in ("It rose", "not borne out by the passage", "Empty", "Only this", r"\section{Two}"):
        assert gone not in draft.latex
    assert re.search(r"\\end\{tabular\}.*^Source: \\cite\{\w+\}\.$", draft.latex, re.DOTALL | re.MULTILINE)
    assert "“Two” was left out: no text is left in it." in draft.notes
    whole = report_to_latex(run, with_unsupported=True)
    assert "not borne out by the passage" not in whole.latex, "a comment says it in the place of the mark"


def test_chosen_parts_and_the_level_of_their_headings(run: Run, owner: User, section: Section) -> None:
    draft = insert_as_proposal(section, owner, report_insertion(section, run, [1]))
    assert re.findall(r"\\\w*section\{(.*)\}", draft.latex) == ["Summary"]
    section.write("% mine\n\\section{Introduction}\nWords.\n", based_on=section.version, by=owner)
    section.refresh_from_db()
    assert insert_as_proposal(section, owner, report_insertion(section, run, [1])).latex.startswith(
        r"\subsection{Summary}"
    )
    assert [level_below(text) for text in ("", r"\chapter{A}", r"Words. \section{A}", r"\subsection{A}")] == [
        2,
        2,
        2,
        4,
    ]
    with pytest.raises(Refused) as refused:
        insert_as_proposal(section, owner, report_insertion(section, run, []))
    assert refused.value.code == "empty"


def test_markdown_becomes_latex_and_nothing_else(db: None) -> None:
    latex = report_markdown_to_latex(
        "## A *b* 5%\n\n**Bold** $x^2 \\le \\frac{1}{2}$ and "
        "$\\input{/etc/passwd}$, $}$, $5 and $10. \\input{x} <b>tag</b> "
        "[js](javascript:x) [web](https://example.org/a_b) ![alt](http://example.org/p.png)\n\n- one\n- two\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n% code\n```\n",
        3,
    )
    assert r"\subsection{A b 5\%}" in latex
    assert r"\textbf{Bold} \(x^2 \le \frac{1}{2}\)" in latex
    assert r"\$\textbackslash input\{/etc/passwd\}\$, \$\}\$, \$5 and \$10. \textbackslash input\{x\} tag" in latex
    assert r"js \href{https://example.org/a_b}{web} alt" in latex
    assert "\\begin{itemize}\n\\item one\n\\item two\n\\end{itemize}" in latex
    assert "\\toprule\na & b \\\\\n" in latex
    assert "includegraphics" not in latex


@examples(15)
@given(st.text(st.sampled_from("ab \\{}$%#&_^~[]()`*<>|\n-1"), max_size=60))
def test_no_command_comes_through_that_pandoc_did_not_write(text: str) -> None:
    latex = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", report_markdown_to_latex(text), flags=re.DOTALL)
    assert not re.search(r"\\(?:input|include|a|b)(?![A-Za-z])", latex)
    assert not re.search(r"(?<!\\)%", latex)
    bare = re.sub(r"\\[\\{}]", "", latex)
    assert bare.count("{") == bare.count("}")


def test_the_page_shows_what_would_come_and_puts_it_in(run: Run, owner: User, section: Section) -> None:
    fault(run, "stayed at 0.22%", "UNSUPPORTED")
    client, at = signed_in(owner), reverse("thesis:put_report", args=[run.pk])
    assert f'href="{at}"' in client.get(reverse("research:report", args=[run.pk])).content.decode()
    page = client.get(at).content.decode()
    assert r"\section{Summary}" in page
    assert "left out: not supported by the sources." in page
    assert "in your references as <code>binkley2003</code>" in page
    assert "will be added as <code>alder</code>" in page
    one = client.get(at, {"asked": "1", "part": "1", "unsupported": "1"}).content.decode()
    assert r"\section{Findings}" not in one
    assert "stayed at" in one
    assert "Select a part" in client.get(at, {"asked": "1"}).content.decode()
    answer = client.post(at, {"asked": "1", "part": "1", "section": section.slug})
    assert answer.status_code == 302
    assert Draft.objects.get().latex.startswith(r"\section{Summary}")


def test_the_api(run: Run, owner: User, section: Section) -> None:
    at = f"/api/sections/{section.pk}/report"
    client = signed_in(owner)
    made = client.post(at, {"run": str(run.pk), "headings": [1]}, content_type="application/json")
    assert made.status_code == 201, made.content
    assert {one["key"] for one in made.json()["citations"]} == {"binkley2003", "alder", "nitrate"}
    other = client.post(at, {"run": str(section.pk)}, content_type="application/json")
    assert (other.status_code, other.json()["error"]["field"]) == (422, "run")


def test_who_may(run: Run, section: Section, outsider: User, reader: User, supervisor: User, editor: User) -> None:
    page, at = reverse("thesis:put_report", args=[run.pk]), f"/api/sections/{section.pk}/report"
    for person, status in ((outsider, 404), (reader, 403), (supervisor, 403)):
        client = signed_in(person)
        assert client.get(page).status_code == status
        assert client.post(at, {"run": str(run.pk)}, content_type="application/json").status_code == status
    assert signed_in(editor).delete(page).status_code == 405
    assert signed_in(editor).get(at).status_code == 405
