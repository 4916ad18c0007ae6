"""The references of a drafted text: split off, taken in, checked, and never over what is proven (SPEC C6)."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citations.editing.edit import attest
from citations.formats.bibtex import split_draft
from citations.importing.add_references import add, import_draft
from citations.models import Citation
from citations.resolution.check_job import CHECK
from core.errors import Refused
from jobs.models import Job
from jobs.work import perform
from latex.cite_edits import replace_keys
from projects.models import Project, User
from tests.citations.real_works import WORKS
from tests.servers.registry_works import Holdings

Status = Citation.Status
CODEX = WORKS["codex"]
TEXT = "Deaths were fewer \\cite{tomazini2020} and \\citep[see][p.~3]{ibe2012, tomazini2020}.\n"
IBE = "@book{ibe2012, title={Alder in mixed stands}, author={Ibe, C.}, year={2012}}"
RIGHT = (
    f"@article{{tomazini2020, title={{{CODEX.title}}}, author={{Tomazini, B.}}, year={{2020}}, doi={{{CODEX.doi}}}}}"
)


@pytest.mark.parametrize(
    "trailer",
    [
        f"<bibtex>\n{IBE}\n</bibtex>",
        f"<bibtex>{IBE}",
        f"<BibTeX>\n```bibtex\n{IBE}\n```\n</BibTeX>\n",
        f"%%% BIBTEX %%%\n{IBE}\n",
        f"%%% BIBTEX %%%\n```\n{IBE}\n```\n%%% END BIBTEX %%%\n",
        f"```bibtex\n{IBE}\n```",
        f"```bibtex\n{IBE}",
        f"\n\n{IBE}\n",
    ],
)
def test_every_trailer_is_split_off(trailer: str) -> None:
    assert split_draft(TEXT + trailer) == (TEXT, IBE)


@pytest.mark.parametrize(
    "draft", ["", "Alder.\n", TEXT, "\\begin{tabular}{@{}l@{}}\n@ home\n\\end{tabular}\n", "a ```python\nx\n``` b"]
)
def test_a_draft_without_a_trailer_stays_byte_for_byte(draft: str) -> None:
    assert split_draft(draft) == (draft, "")


def test_what_follows_the_trailer_is_text() -> None:
    latex, bibtex = split_draft(f"First.\n<bibtex>{IBE}</bibtex>\nSecond.\n<bibtex>{RIGHT}</bibtex>\n")
    assert latex == "First.\n\nSecond.\n"
    assert bibtex == f"{IBE}\n{RIGHT}"


@given(st.text(max_size=300), st.sampled_from(["<bibtex>{}</bibtex>", "%%% BIBTEX %%%\n{}", "```bibtex\n{}\n```"]))
@example("<bibtex>", "<bibtex>{}</bibtex>")
def test_no_draft_brings_it_down_and_none_loses_its_entry(text: str, shape: str) -> None:
    latex, bibtex = split_draft(f"{text}\n{shape.format(IBE)}")
    assert IBE in bibtex
    assert IBE not in latex


def test_new_entries_come_in_and_are_checked(project: Project, owner: User, holdings: Holdings) -> None:
    drafted = import_draft(project, owner, f"{TEXT}<bibtex>\n{RIGHT}\n{IBE}\n</bibtex>")
    assert (drafted.latex, drafted.keys) == (TEXT, {})
    assert drafted.added == ["tomazini2020", "ibe2012"]
    assert {row.status for row in Citation.objects.all()} == {Status.UNRESOLVED}
    assert not holdings.asked  # whoever drafts does not wait for registries
    assert drafted.job == Job.objects.get()
    assert drafted.job.kind == CHECK
    perform(str(drafted.job.pk))
    right, invented = Citation.objects.order_by("serial")
    assert (right.status, right.tier, right.bibtex.strip()) == (Status.VERIFIED, "A", RIGHT)
    assert (invented.status, invented.tier) == (Status.NOT_FOUND, "D")


def settled(project: Project, owner: User) -> list[Citation]:
    (proven,) = add(project, owner, bibtex_entry=RIGHT)
    (vouched,) = add(project, owner, bibtex_entry=IBE)
    attest(vouched.citation, owner, "I have it.")
    return [proven.citation, vouched.citation]


def frozen(row: Citation) -> dict[str, Any]:
    return dict(Citation.objects.filter(pk=row.pk).values().get())


@pytest.mark.parametrize("words", ["the same", "altered"])
def test_what_is_proven_or_vouched_for_is_never_overwritten(
    project: Project, owner: User, holdings: Holdings, words: str
) -> None:
    rows = settled(project, owner)
    before = [frozen(row) for row in rows]
    trailer = f"{RIGHT}\n{IBE}"
    if words == "altered":
        trailer = trailer.replace("{2012}", "{2012}, publisher={Invented}").replace(
            "Tomazini, B.", "Tomazini, B. and X, Y."
        )
    drafted = import_draft(project, owner, f"{TEXT}<bibtex>\n{trailer}\n</bibtex>")
    assert [frozen(row) for row in rows] == before
    assert (drafted.latex, drafted.added, drafted.updated) == (TEXT, [], [])
    assert drafted.kept == ["tomazini2020", "ibe2012"]
    assert drafted.job is None


def test_a_key_is_no_way_to_pass_for_another_work(project: Project, owner: User, holdings: Holdings) -> None:
    """The entry gets a key of its own, and the text is changed with it; the check then says what it is."""
    rows = settled(project, owner)
    before = [frozen(row) for row in rows]
    other = "@book{ibe2012, title={The life of oaks}, author={Moss, D.}, year={1999}}"
    fake = RIGHT.replace(CODEX.title, "Corticosteroids cure everything")
    drafted = import_draft(project, owner, f"{TEXT}<bibtex>\n{other}\n{fake}\n</bibtex>")
    assert drafted.keys == {"ibe2012": "ibe2012b", "tomazini2020": "tomazini2020b"}
    assert drafted.latex == (
        "Deaths were fewer \\cite{tomazini2020b} and \\citep[see][p.~3]{ibe2012b, tomazini2020b}.\n"
    )
    assert [frozen(row) for row in rows] == before
    assert drafted.job
    perform(str(drafted.job.pk))
    assert Citation.objects.get(cite_key="tomazini2020b").status == Status.CONFLICT


def test_a_work_that_is_here_under_another_key_is_cited_by_that(
    project: Project, owner: User, holdings: Holdings
) -> None:
    settled(project, owner)
    drafted = import_draft(
        project, owner, f"\\cite{{codex}}<bibtex>{RIGHT.replace('tomazini2020,', 'codex,')}</bibtex>"
    )
    assert (drafted.latex, drafted.keys) == ("\\cite{tomazini2020}\n", {"codex": "tomazini2020"})
    assert drafted.kept == ["tomazini2020"]


def test_what_is_unproven_takes_the_newer_words(project: Project, owner: User, holdings: Holdings) -> None:
    add(project, owner, bibtex_entry=IBE)
    newer = IBE.replace("{2012}", "{2012}, isbn={9780306406157}")
    drafted = import_draft(project, owner, f"{TEXT}<bibtex>{newer}</bibtex>")
    row = Citation.objects.get()
    assert (drafted.updated, drafted.keys, row.csl["ISBN"]) == (["ibe2012"], {}, "9780306406157")
    again = import_draft(project, owner, f"{TEXT}<bibtex>{newer}</bibtex>")
    assert (again.updated, again.kept) == ([], ["ibe2012"])


def test_broken_entries_are_told(project: Project, owner: User) -> None:
    drafted = import_draft(project, owner, f"{TEXT}<bibtex>\n{IBE}\n@book{{broken, title = {{Al\n</bibtex>")
    assert (drafted.added, [problem.key for problem in drafted.problems]) == (["ibe2012"], ["broken"])


def test_too_much(project: Project, owner: User) -> None:
    entries = "\n".join(f"@book{{k{number}, title={{Work number {number}}}}}" for number in range(501))
    drafted = import_draft(project, owner, f"<bibtex>{entries}</bibtex>")
    assert len(drafted.added) == 500
    assert "Only the first 500" in drafted.problems[-1].message
    with pytest.raises(Refused, match="2,000,000"):
        import_draft(project, owner, "a" * 2_000_001)


@pytest.mark.parametrize(
    ("latex", "changed"),
    [
        (r"\cite{a}", r"\cite{b}"),
        (r"\cite{a,b , aa}", r"\cite{b,c , aa}"),
        (r"\parencite[see][a]{a}", r"\parencite[see][a]{b}"),
        ("% \\cite{a}\n\\verb|\\cite{a}| \\cite{ a }", "% \\cite{a}\n\\verb|\\cite{a}| \\cite{ b }"),
        (r"\cites[1]{a}[2]{b}", r"\cites[1]{b}[2]{c}"),
        (r"\citep[see \cite{b}]{a} on", r"\citep[see \cite{c}]{b} on"),
        (r"\emph{a} \ref{a} {a}", r"\emph{a} \ref{a} {a}"),
    ],
)
def test_keys_are_changed_where_they_are_cited_and_nowhere_else(latex: str, changed: str) -> None:
    assert replace_keys(latex, {"a": "b", "b": "c"}) == changed
