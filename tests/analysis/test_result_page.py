"""The page of an analysis: read by all members, run again and deleted by who may write (SPEC N2)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from analysis.models import Analysis, Figure
from analysis.pages.result import inline_name, sentence_pieces
from analysis.pages.sidebar import MOST_ANALYSES
from projects.models import Project, User
from tests.analysis.database_rows import PATIENTS, RESULT, SCRIPT, SENTENCE, a_dataset, a_job, an_analysis
from tests.people import signed_in


def at(name: str, analysis: Analysis, *more: Any) -> str:
    return reverse(f"analysis:{name}", args=[analysis.project_id, analysis.pk, *more])


def page(client: Client, address: str, status: int = 200) -> LexborHTMLParser:
    answer = client.get(address)
    assert answer.status_code == status
    return LexborHTMLParser(answer.content.decode())


def text(found: LexborHTMLParser, selector: str = "main") -> str:
    node = found.css_first(selector)
    return " ".join(node.text(separator=" ").split()) if node else ""


def texts(found: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text(separator=" ").split()) for node in found.css(selector)]


def test_a_result_in_the_order_in_which_an_examiner_asks(reader: User, owner: User, project: Project) -> None:
    version = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, version)
    shown = page(signed_in(reader), at("result", analysis))
    sentence = shown.css_first("#the-sentence")
    assert sentence is not None
    assert sentence.text() == SENTENCE  # as it is copied
    assert [node.text() for node in sentence.css("i")] == ["t", "p"]
    assert "7 of 8 rows, 1 left out for missing values" in text(shown, ".sentence")
    assert texts(shown, ".checks .tier") == ["Holds", "Concern", "Not tested"]
    picture = shown.css_first(".plate img")
    assert picture is not None
    assert picture.attributes["alt"] == "Two boxes of age."
    assert all(int(picture.attributes[name] or 0) > 100 for name in ("width", "height"))  # nothing moves when it comes
    assert texts(shown, "main section .booktabs thead th") == ["Group", "n", "Mean"]
    assert texts(shown, "main section .booktabs tbody tr") == ["steroid 3 62.00", "control 4 61.00"]
    assert texts(shown, ".footnotes li")[0] == "Welch two-sample t-test"
    code = shown.css_first("#the-script")
    assert code is not None
    assert code.text() == SCRIPT
    assert "R 4.2.2, stats 4.2.2" in text(shown)
    assert "The groups are small. group" in text(shown)
    assert "Two groups, a number: Welch." in text(shown)
    assert "id, group, age" in text(shown)
    assert [link.attributes["href"] for link in shown.css("figcaption a")][0] == at_figure(analysis, "svg")
    assert not shown.css("[style]")
    assert not shown.css("main form")  # a reader looks, and takes away
    assert "Insert into a section" not in text(shown)
    for link in shown.css("figcaption a, .script a[download], section a[download]"):
        assert signed_in(reader).get(str(link.attributes["href"])).status_code == 200


def at_figure(analysis: Analysis, format_: str) -> str:
    figure = Figure.objects.get(analysis=analysis)
    return reverse("analysis:figure", args=[analysis.project_id, figure.pk, format_]) + "?download"


def test_numbers_that_no_table_has_are_in_sight(owner: User, project: Project) -> None:
    analysis = an_analysis(project, owner, None, kind="sample-size", name="two_means", result={**RESULT, "tables": []})
    shown = page(signed_in(owner), at("result", analysis))
    assert shown.css_first("details[open] .booktabs") is not None
    assert "Mean difference, steroid minus control 1.00 −24.26 to 26.26" in texts(shown, "details tbody tr")
    assert reverse("analysis:sample_size", args=[project.pk]) in str(shown.html)
    assert "The data of this result was deleted" not in text(shown)


def test_a_result_on_old_data_says_so_and_runs_on_the_new(editor: User, owner: User, project: Project) -> None:
    old = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, old)
    client = signed_in(editor)
    a_dataset(project, owner, dataset=old.dataset)  # not confirmed yet
    assert "newer version" not in text(page(client, at("result", analysis)))
    newer = a_dataset(
        project, owner, PATIENTS + "S09,steroid,50,male,2,12,98480 11231,0\n", dataset=old.dataset, state="ready"
    )
    shown = page(client, at("result", analysis))
    assert "patients.csv has a newer version." in text(shown)
    assert "version 3" in text(shown)
    answer = client.post(at("again", analysis))
    made = Analysis.objects.get(again_of=analysis)
    assert answer.headers["Location"] == at("result", made)
    assert (made.data, made.title, made.params) == (newer, analysis.title, analysis.params)
    analysis.refresh_from_db()
    assert analysis.data == old


def test_running_again_what_cannot_be_says_why(owner: User, project: Project) -> None:
    old = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, old)
    a_dataset(project, owner, "id,x\nS1,2\nS2,3\nS3,3\n", dataset=old.dataset, state="ready")
    answer = signed_in(owner).post(at("again", analysis))
    assert answer.status_code == 409
    assert "has no column" in text(LexborHTMLParser(answer.content.decode()), "main [role=alert]")


def test_progress_stop_and_what_is_left(owner: User, project: Project) -> None:
    version = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, version, result=None, script="", ended_at=None)
    analysis.job = a_job(project, owner, "analysis", analysis.pk)
    analysis.save()
    client = signed_in(owner)
    shown = page(client, at("result", analysis))
    follows = shown.css_first("#following")
    assert follows is not None
    seen = str(follows.attributes["hx-get"])
    assert client.get(seen).status_code == 204
    analysis.job.emit("analysis_step", "Running in R")
    told = client.get(seen)
    assert "Running in R" in told.content.decode()
    assert told.content.decode().count("<html") == 0
    assert "running" in text(page(client, at("result", analysis)), ".rail")
    assert client.post(at("stop", analysis)).status_code == 302
    ended = client.get(seen)
    assert ended.headers["HX-Retarget"] == "#main"
    assert "This analysis was stopped." in ended.content.decode()
    assert "Run it again" in ended.content.decode()


@pytest.mark.parametrize(
    ("error", "primary", "said"),
    [
        (
            {"code": "group_levels", "message": "Group must have two levels, found 3.", "column": "c2",
             "hint": "Use one-way ANOVA.", "suggest": "anova"},
            "Run Welch analysis of variance instead",
            "group : Group must have two levels, found 3. Use one-way ANOVA.",
        ),
        ({"code": "absent", "message": "The analysis engine is not running.", "hint": "Start it."}, "Run it again",
         "not running. Start it."),
        ({"code": "constant_variable", "message": "All values are the same.", "column": "c9"}, "Change and run again",
         "All values are the same."),
    ],
)  # fmt: skip
def test_an_error_says_what_to_do_next(
    error: dict[str, str], primary: str, said: str, owner: User, reader: User, project: Project
) -> None:
    version = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, version, result=None, script="", error=error)
    shown = page(signed_in(owner), at("result", analysis))
    assert said in text(shown, ".notice")
    assert texts(shown, "main .btn-primary") == [primary]
    assert "your data is unchanged" in text(shown)
    assert not page(signed_in(reader), at("result", analysis)).css("main form, main .btn-primary")


def test_the_tab_leads_to_the_newest_or_to_the_next_step(owner: User, reader: User, project: Project) -> None:
    client, address = signed_in(owner), reverse("analysis:index", args=[project.pk])
    assert "No data yet" in text(page(client, address))
    assert texts(page(client, address), "main .btn-primary") == ["Add data"]
    assert "The owner or an editor" in text(page(signed_in(reader), address))
    version = a_dataset(project, owner)
    assert "Open patients.csv" in text(page(client, address))
    version.state = "ready"
    version.save()
    assert texts(page(client, address), "main .btn-primary") == ["New analysis"]
    an_analysis(project, owner, version)
    newest = an_analysis(project, owner, version)
    assert client.get(address).headers["Location"] == at("result", newest)


def test_the_rail_shows_the_newest_and_asks_as_little_for_many(
    owner: User, project: Project, django_assert_max_num_queries: Any
) -> None:
    version = a_dataset(project, owner, state="ready")
    first = an_analysis(project, owner, version, title="The first of all")
    rows = [
        Analysis(
            project=project,
            number=number,
            title=f"Question {number}",
            name="t_test",
            data=version,
            ended_at=first.ended_at,
        )
        for number in range(2, MOST_ANALYSES + 5)
    ]
    Analysis.objects.bulk_create(rows)
    client = signed_in(owner)
    with django_assert_max_num_queries(18):
        shown = page(client, at("result", first))
    assert "4 older" in text(shown, ".rail")
    assert "The first of all" not in text(shown, ".rail")
    assert "The first of all" in text(page(client, at("result", first) + "?all"), ".rail")


def test_delete_takes_the_figures_along(owner: User, project: Project) -> None:
    analysis = an_analysis(project, owner, a_dataset(project, owner, state="ready"))
    answer = signed_in(owner).post(at("delete", analysis), follow=True)
    assert "Analysis 1 was deleted." in answer.content.decode()
    assert not Analysis.objects.exists()
    assert not Figure.objects.exists()


def test_a_result_outlives_its_data(owner: User, project: Project) -> None:
    version = a_dataset(project, owner, state="ready")
    analysis = an_analysis(project, owner, version)
    version.dataset.delete()
    shown = page(signed_in(owner), at("result", analysis))
    assert "The data of this result was deleted." in text(shown)
    sentence = shown.css_first("#the-sentence")
    assert sentence is not None
    assert sentence.text() == SENTENCE


@pytest.mark.parametrize("name", ["again", "delete", "stop"])
def test_who_may_change(
    name: str, owner: User, reader: User, supervisor: User, outsider: User, project: Project
) -> None:
    analysis = an_analysis(project, owner, a_dataset(project, owner, state="ready"))
    assert signed_in(outsider).post(at(name, analysis)).status_code == 404
    assert [signed_in(member).post(at(name, analysis)).status_code for member in (reader, supervisor)] == [403, 403]
    assert signed_in(owner).get(at(name, analysis)).status_code == 405
    assert Analysis.objects.count() == 1


def test_who_may_look(owner: User, reader: User, outsider: User, project: Project) -> None:
    version = a_dataset(project, owner, state="ready")
    one, other = an_analysis(project, owner, version), an_analysis(project, owner, version)
    for address in (at("result", one), at("progress", one), at("compare", one, other.pk)):
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(reader).get(address).status_code == 200
        assert signed_in(owner).post(address).status_code == 405
    to_page = reverse("analysis:analysis", args=[one.pk])
    assert signed_in(outsider).get(to_page).status_code == 404
    assert signed_in(reader).get(to_page).headers["Location"] == at("result", one)
    assert signed_in(outsider).get(reverse("analysis:index", args=[project.pk])).status_code == 404
    another = Project.objects.create_for(owner, title="Another")
    assert signed_in(owner).get(reverse("analysis:result", args=[another.pk, one.pk])).status_code == 404


class TestComparing:
    def test_two_results_side_by_side_and_what_differs(self, owner: User, project: Project) -> None:
        version = a_dataset(project, owner, state="ready")
        one = an_analysis(project, owner, version)
        newer = a_dataset(project, owner, dataset=version.dataset, state="ready")
        estimates = [{**RESULT["estimates"][0], "value": 1.5}, RESULT["estimates"][1]]
        other = an_analysis(project, owner, newer, result={**RESULT, "estimates": estimates}, again_of=one)
        client = signed_in(owner)
        offered = page(client, at("result", one)).css("details a")
        assert at("compare", one, other.pk) in [link.attributes["href"] for link in offered]
        for address in (at("compare", one, other.pk), at("compare", other, one.pk)):  # the older one stands at the left
            shown = page(client, address)
            rows = texts(shown, ".differences tbody tr")
            assert "Data patients.csv, version 1 patients.csv, version 2 differs" in rows
            assert "Mean difference, steroid minus control 1.00 (−24.26 to 26.26) 1.50 (−24.26 to 26.26) 0.500" in rows
            assert any(row.endswith("same") for row in rows)
            assert len(shown.css(".plate img")) == 2
            assert "2 lines differ." in text(shown)
        only = texts(page(client, at("compare", one, other.pk) + "?differences"), ".differences tbody tr")
        assert not any(row.endswith("same") for row in only)
        assert len(only) == 4  # two lines, each below the words of its group

    def test_the_same_twice_or_without_a_result(self, owner: User, project: Project) -> None:
        version = a_dataset(project, owner, state="ready")
        one = an_analysis(project, owner, version)
        failed = an_analysis(project, owner, version, result=None, error={"code": "no_events", "message": "None."})
        for other in (one, failed):
            assert signed_in(owner).get(at("compare", one, other.pk)).status_code == 404


@pytest.mark.parametrize(
    ("sentence", "italic"),
    [
        (
            "odds ratio 0.66 (95% CI 0.53 to 0.82; p < 0.001; I² = 15.6%, Q = 7.11, df = 6, p = 0.31)",
            ["p", "I", "Q", "p"],
        ),
        ("F(2, 27) = 4.85, p > 0.999, rap = 3, d = −1.48", ["F", "p", "d"]),
        ("Vitamin d was higher in group p than in I", []),
        ("", []),
    ],
)
def test_letters_of_statistics_are_set_in_italics(sentence: str, italic: list[str]) -> None:
    found = sentence_pieces(sentence)
    assert "".join(piece.text for piece in found) == sentence
    assert [piece.text for piece in found if piece.is_italic] == italic


def test_names_of_analyses_in_a_sentence() -> None:
    assert [inline_name(one) for one in ("anova", "linear", "fisher", "new_one", "")] == [
        "Welch analysis of variance", "linear regression", "Fisher's exact test", "new one", "",
    ]  # fmt: skip
