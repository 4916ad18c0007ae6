"""SPEC G1: the thesis as set text, for whoever may not write and whoever wants to read."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from citations.models import Citation
from latex.cite_keys import visible
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from thesis.manuscript_page import document
from thesis.manuscript_page.document import document_of
from thesis.models import ChapterHtml

METHODS = r"""\section{Search \& screening}\label{sec:s}
% a remark of the author
We searched twice \citep[see][p.~3]{alder} and found 95\% of them, see Table~\ref{tab:t}, \cref{eq:e},
Figure~\ref{fig:f} and Chapter~\ref{tab:r}; nothing is at \ref{nowhere}.\footnote{A note on \emph{words}.}
The mean was $\bar{x} \geq 3$.
\begin{equation}\label{eq:e} p = \frac{1}{2} \end{equation}
\begin{figure}\centering\includegraphics{flow}\caption{The flow of records}\label{fig:f}\end{figure}
\begin{table}\caption{Baseline}\label{tab:t}\begin{tabular}{lr}\toprule Arm & Deaths \\ \midrule Treated & 4821 \\
\bottomrule\end{tabular}\end{table}
\begin{itemize}\item One thing\item अल्डर और मिट्टी\end{itemize}
"""
RESULTS = r"""\begin{table}\caption{Deaths}\label{tab:r}\begin{tabular}{l}Nobody died.\end{tabular}\end{table}
As in \autoref{sec:s}, all lived \citep{lost}."""
HX = {"HX-Request": "true"}
QUERIES = 10  # of the whole page


@pytest.fixture
def read(project: Project, owner: User) -> Project:
    """The thesis with two chapters that refer to each other, and a proven work."""
    Citation.objects.create(
        project=project, cite_key="alder", title="Nitrogen below alder", authors="B Berg", year=2019, status="verified",
        tier="A", evidence_type="doi", evidence_value="10.5555/a", check_due_at=None,
        csl={"type": "article-journal", "title": "Nitrogen below alder", "author": [{"family": "Berg"}],
             "issued": {"date-parts": [[2019]]}},
    )  # fmt: skip
    project.sections.get(slug="materials-and-methods").write(METHODS, based_on=0, by=owner)
    project.sections.get(slug="results").write(RESULTS, based_on=0, by=owner)
    return project


def page_of(user: User, project: Project, more: str = "") -> str:
    return str(signed_in(user).get(f"/projects/{project.pk}/read/{more}").content.decode())


def chapter_of(user: User, project: Project, slug: str) -> str:
    address = f"/projects/{project.pk}/read/{slug}/"
    return str(signed_in(user).get(address, headers=HX).content.decode())


def words(html: str) -> str:
    """What a person reads of the article."""
    inside = html.split('<article class="manuscript set"')[-1].split("</article>")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<math.*?</math>", " ", inside))).split())


def test_the_text_is_set_with_numbers_citations_formulas_and_notes(read: Project, owner: User) -> None:
    page = page_of(owner, read, "?section=materials-and-methods")
    text = words(page)
    for expected in (
        "4 Materials and methods", "4.1 Search & screening", "(see Berg, 2019 , tier A", "95% of them",
        "Table 4.1 , eq. (4.1) , Figure 4.1", "Chapter 5.1", "nothing is at ??", "Table 4.1: Baseline", "Treated 4821",
        "Figure 4.1: The flow of records", "The picture flow is missing.", "A note on words", "अल्डर और मिट्टी",
        "References",
    ):  # fmt: skip
        assert expected.replace(" ", "") in text.replace(" ", ""), expected
    assert "Nitrogen below alder" not in text
    listed = signed_in(owner).get(f"/projects/{read.pk}/read/?references=1", headers=HX).content.decode()
    assert "Nitrogen below alder" in listed
    assert "Nitrogen below alder" in words(page_of(owner, read)), "it is printed now"
    assert "<mfrac>" in page
    assert 'data-tier="a"' in page
    assert re.findall(r'<a class="cite"[^>]*hx-', page) == []  # one listener opens all cards, htmx sets up none
    assert "\\" not in text
    assert "remark of the author" not in page


def test_a_long_formula_in_a_line_scrolls_in_itself(read: Project, owner: User) -> None:
    read.sections.get(slug="introduction").write(
        "Where $" + "+".join(f"a_{{{one}}}" for one in range(20)) + "$ and $x^2$.", based_on=0, by=owner
    )
    page = page_of(owner, read, "?section=introduction")
    assert len(re.findall(r'<span class="long" tabindex="0" data-set><math', page)) == 1
    assert "<span data-set><math" in page


def test_cells_beside_a_merged_one_are_aligned_as_their_column(read: Project, owner: User) -> None:
    table = r"\begin{tabular}{lrl}A & B & C\\ \multirow{2}{*}{Death} & 12 & x\\ & 3 & y\\ Life & 4 & z\end{tabular}"
    read.sections.get(slug="discussion").write(table, based_on=0, by=owner)
    page = chapter_of(owner, read, "discussion")
    numeric = re.findall(r'<td class="num"[^>]*>(?:<[^>]+>)*(\w+)<', page)
    assert numeric == ["B", "12", "3", "4"]


def test_a_reference_leads_into_the_other_chapter(read: Project, owner: User) -> None:
    methods, results = (chapter_of(owner, read, slug) for slug in ("materials-and-methods", "results"))
    asked = re.search(r'href="#(l-\w+)"[^>]*>5\.1<', methods)
    assert asked is not None
    assert f'id="{asked[1]}"' in results
    back = re.search(r'href="#(l-\w+)"[^>]*>section\s*4\.1<', results.replace("\u00a0", " "))
    assert back is not None
    assert f'id="{back[1]}"' in methods
    assert "lost" in words(results)
    assert 'data-tier="missing"' in results


def test_chapters_that_are_not_rendered_yet_come_one_by_one(read: Project, owner: User) -> None:
    page = page_of(owner, read, "?section=results")
    assert "Nobody died." in page
    waiting = re.search(r'hx-get="(/projects/[^"]*/read/materials-and-methods/)"', page)
    assert waiting is not None
    part = signed_in(owner).get(waiting[1], headers=HX).content.decode()
    assert "Treated" in part
    assert 'id="at-materials-and-methods" hx-swap-oob="true"' in part
    assert "4.1" in part
    assert waiting[1] not in page_of(owner, read)  # it is there from now on
    assert signed_in(owner).get(waiting[1]).headers["Location"].endswith("#s-materials-and-methods")


def test_whoever_may_not_write_reads_set_text_and_the_source_when_asked(
    read: Project, supervisor: User, reader: User
) -> None:
    for user in (supervisor, reader):
        client = signed_in(user)
        for address in (f"/projects/{read.pk}/", f"/projects/{read.pk}/sections/results/"):
            assert "/read/" in client.get(address).headers["Location"], address
        page = client.get(f"/projects/{read.pk}/sections/results/", follow=True).content.decode()
        assert "Nobody died." in page
        assert "tabular" not in page
        source = client.get(f"/projects/{read.pk}/sections/results/?view=source").content.decode()
        assert r"\begin{tabular}{l}Nobody died." in source
        for shown in (page, source):
            assert "Write" not in words(shown)
            assert re.search(r'aria-current="page"[^>]*>Read<', shown)


def test_only_a_changed_chapter_is_rendered_again(read: Project, owner: User) -> None:
    before = document_of(read)
    first = {one.slug: before.chapter(one) for one in before.chapters}
    assert document_of(read) is before
    results = read.sections.get(slug="results")
    results.write(f"{RESULTS} More.", based_on=1, by=owner)
    after = document_of(read)
    second = {one.slug: after.chapter(one) for one in after.chapters}
    assert [slug for slug in first if first[slug] is not second[slug] and first[slug] != second[slug]] == ["results"]
    Citation.objects.get(cite_key="alder").delete()
    third = document_of(read)
    assert "missing" in str(third.chapter(next(one for one in third.chapters if one.slug == "materials-and-methods")))


def test_another_process_shows_what_was_rendered(read: Project, owner: User) -> None:
    """Also one that was started later; as long as neither the text nor what it shows has changed."""
    stored = ChapterHtml.objects.filter(section__slug="results")
    assert "Nobody died." in page_of(owner, read, "?section=results")
    forget_rendered()
    assert "Nobody died." in page_of(owner, read), "without being asked for"
    stored.update(html="<p>As it was stored.</p>")
    forget_rendered()
    assert "As it was stored." in chapter_of(owner, read, "results")
    read.sections.get(slug="results").write("All lived, after all.", based_on=1, by=owner)
    assert "All lived, after all." in chapter_of(owner, read, "results")
    assert "All lived, after all." in stored.get().html
    forget_rendered()
    stored.update(key="of another version", html="<p>Old.</p>")
    assert "All lived, after all." in chapter_of(owner, read, "results")
    read.sections.get(slug="results").delete()
    assert not stored.exists()


def forget_rendered() -> None:
    """Forget what this process has rendered."""
    document._chapters.clear()
    document._documents.clear()


def test_only_the_paragraph_that_cannot_be_read_is_shown_as_source(read: Project, owner: User) -> None:
    latex = "\\section{Flow}\nAlder \\emph{grew}.\n\nOne \\textbf{two.\n\n\\section{Deaths}\nNone \\emph{died}.\n"
    read.sections.get(slug="discussion").write(latex, based_on=0, by=owner)
    page = chapter_of(owner, read, "discussion")
    assert "This brace { is never closed (line 4). Line 4 is shown as source; the text around is set." in words(page)
    assert "One \\textbf{two." in page
    assert "Alder <em>grew</em>" in re.sub(' data-map="[^"]*"', "", page)
    assert "None <em>died</em>" in re.sub(' data-map="[^"]*"', "", page)
    assert "\\section" not in page
    assert "Treated" in chapter_of(owner, read, "materials-and-methods")


@pytest.mark.parametrize(
    "latex",
    [
        r"\href{javascript:alert(1)}{here}",
        "<script>alert(1)</script>",
        r"$\text{<script>alert(1)</script>}$ \label{a\"b onclick=x}\ref{a\"b onclick=x}",
        r"\includegraphics{x\" onerror=\"alert(1)}",
        r"\url{https://example.org/\"><script>}",
        r"\cite{a\"><script>}",
        "\\begin{verbatim}</pre><script>\\end{verbatim}",
    ],
)
def test_no_text_becomes_code(project: Project, owner: User, latex: str) -> None:
    project.sections.get(slug="results").write(latex, based_on=0, by=owner)
    part = chapter_of(owner, project, "results")
    assert not re.search(r"<script|<[^>]*\son\w+=|javascript:[^<]*\"", part), part


def test_a_strangers_and_a_wrong_address(read: Project, owner: User, outsider: User, client: Client) -> None:
    cited = Citation.objects.get(cite_key="alder")
    for address in ("read/", "read/results/", f"citations/{cited.pk}/card/"):
        at = f"/projects/{read.pk}/{address}"
        assert signed_in(outsider).get(at, headers=HX).status_code == 404
        assert client.get(at).status_code == 302
        assert signed_in(owner).post(at).status_code == 405
    assert signed_in(owner).get(f"/projects/{read.pk}/read/nowhere/", headers=HX).status_code == 404
    assert signed_in(owner).get(f"/projects/{read.pk}/read/?section=nowhere").status_code == 404


def test_the_card_of_a_citation_says_what_the_work_is(read: Project, reader: User) -> None:
    cited = Citation.objects.get(cite_key="alder")
    at = f"/projects/{read.pk}/citations/{cited.pk}/card/"
    card = signed_in(reader).get(at, headers=HX).content.decode()
    assert "Nitrogen below alder" in card
    assert "DOI and title" in card
    assert signed_in(reader).get(at).headers["Location"] == f"/projects/{read.pk}/citations/{cited.pk}/"


def test_a_program_reads_a_section_as_set_text(read: Project, reader: User, outsider: User) -> None:
    section = read.sections.get(slug="results")
    address = f"/api/sections/{section.pk}/manuscript"
    told = signed_in(reader).get(address).json()
    assert (told["number"], told["title"], told["version"]) == ("5", "Results", 1)
    assert "Nobody died." in told["html"]
    assert told["html"] in chapter_of(reader, read, "results")
    assert signed_in(outsider).get(address).status_code == 404
    assert signed_in(reader).post(address).status_code == 405


def place(part: str, leaf: str) -> tuple[int, str]:
    """The first step of the map of the leaf that begins with `leaf`, and its words."""
    found = re.search(rf'data-map="0:(\d+)[^"]*">({re.escape(leaf)}[^<]*)', part)
    assert found is not None, part
    return int(found[1]), found[2]


def comment(user: User, section: Section, **sent: Any) -> str:
    at = f"/projects/{section.project_id}/sections/{section.slug}/comments/"
    return str(signed_in(user).post(at, {"body": "Is this so?", **sent}, headers=HX).content.decode())


def test_a_comment_on_set_words_is_about_their_latex(read: Project, supervisor: User, owner: User) -> None:
    section = read.sections.get(slug="materials-and-methods")
    start, shown = place(chapter_of(supervisor, read, section.slug), "We searched twice")
    assert section.latex[start:].startswith("We searched twice")
    sent = {"quote": "We searched twice", "before": "", "after": shown[17:], "start": start, "end": start + 17}
    panel = comment(supervisor, section, **sent, version=section.version)
    made = section.comments.get()
    assert (made.quote, made.start) == ("We searched twice", start)
    assert f'data-start="{start}" data-end="{start + 17}"' in panel


def test_a_comment_on_an_earlier_text_finds_its_words_in_the_new_one(
    read: Project, supervisor: User, owner: User
) -> None:
    section = read.sections.get(slug="results").write(f"New first words.\n\n{RESULTS}", based_on=1, by=owner)
    comment(
        supervisor,
        section,
        quote="all lived",
        before="As in ",
        after="",
        start=RESULTS.index("all"),
        end=200,
        version=1,
    )
    made = section.comments.get()
    assert section.latex[made.start :].startswith("all lived")
    assert made.quote == "all lived"
    comment(supervisor, section, quote="words that are gone for good", start=3, end=9, version=1)
    assert section.comments.filter(quote="words that are gone for good").exists()


def test_the_number_of_queries_does_not_grow_with_the_thesis(
    read: Project, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(owner)
    address = f"/projects/{read.pk}/read/"
    client.get(address)
    with django_assert_num_queries(QUERIES):
        client.get(address)
    for number in range(6):
        read.sections.create(
            number=20 + number, slug=f"more-{number}", title="More", latex=rf"See \cite{{alder}} {number}."
        )
    client.get(address)
    with django_assert_num_queries(QUERIES):
        client.get(address)


def test_comments_of_latex_are_no_text(read: Project) -> None:
    document = document_of(read)
    methods = next(one for one in document.chapters if one.slug == "materials-and-methods")
    page = document.chapter(methods)
    assert page is not None
    steps = [pair for one in re.findall(r'data-map="([^"]*)"', page.html) for pair in one.split()]
    places = [int(pair.split(":")[1]) for pair in steps]
    seen = visible(methods.latex)
    assert places
    assert all(seen[at].isalnum() for at in places)


def source_at(latex: str, part: str, words: str) -> str:
    """What the map of the leaf that shows `words` says stands in the source at them."""
    found = re.search(rf'data-map="([^"]+)">((?:(?!data-map).)*?){re.escape(words)}', part, re.DOTALL)
    assert found is not None, part
    shown = len(unescape(re.sub(r"<(\w+)[^>]*data-set.*?</\1>|<[^>]+>", "", found[2])))
    steps = [tuple(map(int, pair.split(":"))) for pair in found[1].split()]
    begin, source = max(step for step in steps if step[0] <= shown)
    return latex[source + shown - begin :]


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("Before words giraffe\\footnote{The committee met in detail.} after words penguin.", "giraffe"),
        ("\\section{Elephants and zebras}", "Elephants"),
        ("\\begin{table}\\caption{Teeth lost}\\begin{tabular}{ll}One & two\\end{tabular}\\end{table}", "Teeth"),
        ("\\begin{table}\\begin{tabular}{ll}One & two\\end{tabular}\\caption{Teeth lost}\\end{table}", "Teeth"),
        ("\\newcommand{\\mycite}[1]{\\citep{#1}}\n\nFirst words \\mycite{alder} and then the zebras.", "First"),
    ],
)
def test_words_lead_to_their_place_in_the_stored_text(read: Project, owner: User, latex: str, words: str) -> None:
    section = read.sections.get(slug="discussion").write(latex, based_on=0, by=owner)
    assert source_at(section.latex, chapter_of(owner, read, "discussion"), words).startswith(words)


def test_a_changed_author_shows_at_once(read: Project, owner: User) -> None:
    read.sections.get(slug="discussion").write(r"As \citet{alder} found.", based_on=0, by=owner)
    assert "Berg" in chapter_of(owner, read, "discussion")
    work = Citation.objects.get(cite_key="alder")
    work.csl = {**work.csl, "author": [{"family": "Hagen"}]}
    work.save()
    assert "Hagen" in words(chapter_of(owner, read, "discussion"))


@pytest.mark.sample(2)
@pytest.mark.parametrize("depth", [150, 300, 3_000])
def test_text_that_is_nested_too_deeply_is_source_or_set(read: Project, owner: User, depth: int) -> None:
    read.sections.get(slug="discussion").write("\\emph{" * depth + "inside" + "}" * depth, based_on=0, by=owner)
    assert "inside" in chapter_of(owner, read, "discussion")


def test_a_chapter_that_could_not_be_read_is_tried_again(
    read: Project, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thesis.preview.chapters.LONGEST", 5)  # characters, which pandoc is not given
    monkeypatch.setattr("thesis.manuscript_page.document._AGAIN", 0)
    read.sections.get(slug="discussion").write("Alder grew.", based_on=0, by=owner)
    assert "shown as source" in chapter_of(owner, read, "discussion")
    monkeypatch.undo()
    assert "shown as source" not in chapter_of(owner, read, "discussion")
