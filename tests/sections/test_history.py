"""SPEC T2: the History panel, and what a version changed, by words and by lines."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from projects.models import Project, User
from sections.diffs import Block, Line, diff_lines, diff_words, differences
from sections.models import Section, SectionVersion
from tests.people import signed_in
from tests.time_limits import HANGS

HX = {"HX-Request": "true"}
ITEMS = st.text("abcdefg", max_size=40).map(list)
TEXT = st.text("ab c\n\\{}é%", max_size=120)


@pytest.fixture
def results(project: Project) -> Section:
    section: Section = project.sections.get(slug="results")
    return section


def add_versions(section: Section, number: int, by: User, **fields: object) -> None:
    """`number` more rows in the history, each with a word more than the one before."""
    start = section.version
    rows = [
        SectionVersion(
            section=section, version=start + n, latex="word " * (start + n), saved_by=by, kind="merged", **fields
        )
        for n in range(1, number + 1)
    ]
    SectionVersion.objects.bulk_create(rows)
    section.version, section.latex = start + number, rows[-1].latex
    section.save()


def panel(client: Client, section: Section, query: str = "") -> str:
    address = f"/projects/{section.project_id}/sections/{section.slug}/history/{query}"
    return client.get(address, headers=HX).content.decode()


def compared(client: Client, section: Section, version: int, query: str = "") -> str:
    page = client.get(f"/projects/{section.project_id}/sections/{section.slug}/versions/{version}/{query}")
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def test_each_row_says_when_who_how_and_how_much(results: Section, owner: User, editor: User) -> None:
    results = results.write("One two three", based_on=0, by=owner)
    results = results.write("One", based_on=1, by=editor)
    results.restore(results.versions.get(version=1), by=owner)
    shown = " ".join(panel(signed_in(owner), results).split())
    assert shown.count('Asha Menon, typed, <span class="nowrap">+3 words') == 1
    assert 'Edda Berg, typed, <span class="nowrap">−2 words' in shown
    assert 'Asha Menon, restored, <span class="nowrap">+2 words' in shown
    assert ">Today<" in shown
    assert shown.count("Current version") == 1


def test_what_was_set_aside_counts_for_nothing_in_the_row_behind_it(results: Section, owner: User) -> None:
    results = results.write("One two three", based_on=0, by=owner)
    results.keep("Something quite different and longer", by=owner)
    results.write("One two three four", based_on=1, by=owner)
    shown = " ".join(panel(signed_in(owner), results).split())
    assert "kept from a conflict</p>" in shown
    assert "+1 word<" in shown


def test_days_are_those_of_the_reader(results: Section, owner: User) -> None:
    results.write("One", based_on=0, by=owner)
    results.versions.update(saved_at=datetime(2026, 3, 1, 22, 30, tzinfo=UTC))
    client = signed_in(owner)
    assert "1 March 2026" in panel(client, results)
    assert "2 March 2026" in panel(client, results, "?zone=Asia/Kolkata")
    for zone in ("Nowhere/At_all", "../../etc/passwd", "x" * 500, "%00"):
        assert "1 March 2026" in panel(client, results, f"?zone={zone}")


def test_hundreds_of_rows_come_page_by_page_and_cost_the_same(
    results: Section, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    add_versions(results, 12, owner)
    client = signed_in(owner)
    panel(client, results)
    with django_assert_max_num_queries(12):
        panel(client, results)
    add_versions(results, 300, owner)
    with django_assert_max_num_queries(12):
        first = panel(client, results)
    assert first.count('id="compare-') == 30
    assert 'id="compare-312"' in first
    assert 'id="compare-1"' in panel(client, results, "?page=11")
    assert "+1 word" in first
    assert 'id="compare-1"' in panel(client, results, "?page=99")


def test_a_row_that_is_in_a_kept_state_says_so(results: Section, owner: User) -> None:
    results = results.write("One", based_on=0, by=owner)
    results.project.snapshots.create(name="Sent to Dr Iyer", made_by=owner).versions.set(
        [results.current_version_row()]
    )
    assert "Saved as “Sent to Dr Iyer”" in panel(signed_in(owner), results)


def test_of_a_very_long_text_characters_are_told(results: Section, owner: User) -> None:
    results = results.write("word " * 200_000, based_on=0, by=owner)
    results.versions.update(began_at=timezone.now() - timedelta(hours=1))
    results.write("word " * 200_002, based_on=1, by=owner)
    assert "+10 characters" in panel(signed_in(owner), results)


def test_without_script_it_is_a_page(results: Section, reader: User) -> None:
    results.write("One", based_on=0, by=reader)
    address = f"/projects/{results.project_id}/sections/results/history/"
    page = signed_in(reader).get(address).content.decode()
    assert "<html" in page
    assert "Compare</span>" not in page
    assert ">Restore<" not in page


def test_the_rail_names_all_three(results: Section, owner: User) -> None:
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    for name in ("Sources", "Comments", "History"):
        assert f">{name}<" in page


def test_what_changed_since_is_marked_word_by_word(results: Section, owner: User, editor: User) -> None:
    results = results.write("Same.\n\nSeven trials were \\emph{large}.\n\nEnd.", based_on=0, by=owner)
    results.write("Same.\n\nEight trials were \\emph{small}, all.\n\nEnd.", based_on=1, by=editor)
    client = signed_in(owner)
    page = compared(client, results, 1)
    assert "<del>Seven </del><ins>Eight </ins>" in page
    assert '<span class="tex">\\emph{</span><del>large</del><ins>small</ins><span class="tex">}</span><ins>,' in page
    page = compared(client, results, 2)
    assert "the current version" in page
    assert "<del>Seven </del><ins>Eight </ins>" in page
    page = compared(client, results, 1, "?against=before")
    assert "<ins>Seven trials were </ins>" in page
    assert "an empty section" in page


@pytest.mark.parametrize("layout", ["side", "one"])
def test_and_line_by_line_in_the_source(results: Section, owner: User, editor: User, layout: str) -> None:
    results = results.write("One\nTwo\nThree", based_on=0, by=owner)
    results.write("One\nTwo too\nThree\nFour", based_on=1, by=editor)
    page = compared(signed_in(owner), results, 1, f"?view=source&lines={layout}")
    assert f'data-layout="{layout}"' in page
    assert "<del>Two</del>" in page
    assert "<ins>Two too</ins>" in page
    assert "<ins>Four</ins>" in page


def test_whatever_stands_in_a_text_is_shown_and_not_run(results: Section, owner: User) -> None:
    results.write("<script>alert(1)</script> & \\emph{<b>}", based_on=0, by=owner)
    for view in ("words", "source", "text"):
        page = compared(signed_in(owner), results, 1, f"?view={view}&against=before")
        assert "<script>alert" not in page
        assert "&lt;" in page


def test_two_texts_that_share_nothing_are_shown_whole(results: Section, owner: User, editor: User) -> None:
    results = results.write("alpha " * 60_000, based_on=0, by=owner)
    results.write("beta\n" * 60_000, based_on=1, by=editor)
    page = compared(signed_in(owner), results, 1)
    assert "The texts differ too much to mark the changes" in page
    assert page.count('<pre class="latex">') == 2


def test_a_difference_of_line_endings_only_is_said(results: Section, owner: User, editor: User) -> None:
    results = results.write("One\r\nTwo", based_on=0, by=owner)
    results.write("One\nTwo", based_on=1, by=editor)
    assert "Only the line endings differ" in compared(signed_in(owner), results, 1)


def test_who_may(results: Section, owner: User, reader: User, supervisor: User, outsider: User) -> None:
    results.write("One", based_on=0, by=owner)
    base = f"/projects/{results.project_id}/sections/results/"
    for path in ("history/", "versions/1/"):
        assert signed_in(outsider).get(base + path).status_code == 404
        assert signed_in(reader).get(base + path).status_code == 200
        assert Client().get(base + path)["Location"].startswith("/accounts/login/")
        assert signed_in(owner).delete(base + path).status_code == 405
    assert signed_in(supervisor).post(f"{base}versions/1/").status_code == 403
    assert signed_in(owner).post(f"{base}history/").status_code == 405


@given(ITEMS, ITEMS)
def test_differences_make_the_one_of_the_other(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    at = 0
    for op in differences(old, new):
        assert op.i1 == at
        at = op.i2
        assert op.same is False or old[op.i1 : op.i2] == new[op.j1 : op.j2]
        made += new[op.j1 : op.j2]
    assert (at, made) == (len(old), new)


@given(ITEMS)
def test_the_same_has_no_differences(items: list[str]) -> None:
    assert all(op.same for op in differences(items, list(items)))


def words(blocks: list[Block] | None, but: str) -> str:
    assert blocks is not None
    return "".join(run.text for block in blocks for run in block.runs if run.kind != but)


@given(TEXT, TEXT)
def test_nothing_is_lost_between_the_marks(old: str, new: str) -> None:
    """Without the removed words it is the new text, without the added the old,
    but for blank lines between paragraphs."""
    assert "".join(words(diff_words(old, new), but="del").split()) == "".join(new.split()) or hidden(
        diff_words(old, new)
    )
    assert "".join(words(diff_words(old, new), but="ins").split()) == "".join(old.split()) or hidden(
        diff_words(old, new)
    )


def hidden(blocks: list[Block] | None) -> bool:
    return any(block.hidden for block in blocks or [])


@given(TEXT, TEXT)
def test_lines_keep_their_numbers(old: str, new: str) -> None:
    lines = diff_lines(old, new)
    assert lines is not None

    def shown(which: str) -> list[tuple[int, str]]:
        pairs = [(line.was, line.then) if which == "then" else (line.number, line.now) for line in lines]
        return [(at, "".join(run.text for run in runs)) for at, runs in pairs if at is not None and runs is not None]

    for which, text in (("then", old), ("now", new)):
        assert all(text.split("\n")[at - 1] == line for at, line in shown(which))
    assert all(isinstance(line, Line) for line in lines)


@pytest.mark.timeout(HANGS)
def test_five_million_characters_are_compared_within_a_second() -> None:
    paragraphs = [
        f"Paragraph {n} tells of alder and soil, and of trial {n * 7} in year {n % 90}." * 8 for n in range(9000)
    ]
    old = "\n\n".join(paragraphs)
    for n in range(0, 9000, 100):
        paragraphs[n] = paragraphs[n].replace("alder", "birch")
    new = "\n\n".join(paragraphs)
    assert len(old) > 5_000_000
    blocks = diff_words(old, new)
    assert blocks is not None
    assert sum(run.text == "birch " for block in blocks for run in block.runs) == 90 * 8
