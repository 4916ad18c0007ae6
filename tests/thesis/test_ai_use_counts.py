"""What of a draft stands in a thesis, whatever became of its words since (SPEC T9)."""

from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from llm.models import Usage
from projects.models import Project, User
from sections.models import Section, SectionVersion
from sections.outline import move_to_bin
from tests.people import editor
from tests.thesis.accepted_drafts import (
    DRAFTED,
    MODEL,
    OWN,
    SECOND,
    accepted_draft,
    counts,
    entries,
    offline,
    proposal,
    text,
    written,
)
from tests.thesis.proposals import references, run_with
from thesis.authorship.alignment import Piece, align_drafts
from thesis.authorship.records import Elsewhere, draft_use_by_section
from thesis.authorship.words import words_of
from thesis.drafting.accept import accept_blocks, record_accepted
from thesis.drafting.proposal import insert_as_proposal
from thesis.insert.findings import findings_insertion
from thesis.models import Draft

__all__ = ["editor"]
pytestmark = pytest.mark.django_db

ALL = len(words_of(DRAFTED).words)


@pytest.fixture
def section(project: Project, owner: User) -> Section:
    """The introduction, with a paragraph of her own and the reference that the drafts cite."""
    references(project)
    return written(project.sections.get(slug="introduction"), f"{OWN}\n", owner)


def test_a_draft_that_stands_as_it_was_taken(section: Section, project: Project, owner: User, editor: User) -> None:
    draft = proposal(section, owner, DRAFTED)
    assert entries(project) == []  # nothing was taken yet
    accept_blocks(draft, editor)
    (use,) = draft_use_by_section(project)
    (entry,) = use.entries
    assert (use.slug, entry.draft, entry.kind, entry.by) == ("introduction", draft.pk, "Draft", "model")
    assert (entry.models, entry.who, entry.took_it, entry.elsewhere) == ([MODEL], "Edda Berg", True, [])
    assert (entry.words, entry.stands) == (ALL, ALL)


def test_white_space_commands_and_citations_do_not_count(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    changed = text(section).replace("roots of alder", "\\emph{roots}\n  of \\textbf{alder}% mine\n")
    written(section, changed.replace("~\\cite{menon2021}", " \\citep[p.~3]{lund2020,berg2019}"), owner)
    assert counts(project) == [(ALL, ALL)]


def test_moved_within_its_section_and_into_another(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner, f"{DRAFTED}\n\n{SECOND}")
    first, second = (len(words_of(one).words) for one in (DRAFTED, SECOND))
    discussion = project.sections.get(slug="discussion")
    written(section, f"{SECOND}\n\n{OWN}\n", owner)
    written(discussion, f"Words before.\n\n{DRAFTED}\n", owner)
    (entry,) = entries(project)
    assert (entry.words, entry.stands) == (first + second, first + second)
    assert entry.elsewhere == [Elsewhere("Discussion", first)]


def test_words_that_stand_twice_are_found_in_their_own_section(section: Section, project: Project, owner: User) -> None:
    discussion = project.sections.get(slug="discussion")
    written(section, f"{OWN}\n\n``{SECOND}''\n", owner)  # quoted here by hand, in a section that comes first
    accepted_draft(discussion, owner, SECOND)
    (entry,) = entries(project)
    assert (entry.stands, entry.elsewhere) == (len(words_of(SECOND).words), [])


def test_half_rewritten(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    first = DRAFTED.partition(" Stands")[0]
    mine = "Their litter is soft and rots fast, which I saw on nine of my ten plots."
    written(section, f"{OWN}\n\n{first} {mine}\n", owner)
    assert counts(project) == [(ALL, len(words_of(first).words))]
    half = (
        "The roots of alder house bacteria that turn nitrogen of the air into what grass and herbs beside it feed on."
    )
    written(section, f"{OWN}\n\n{half} {mine}\n", owner)
    assert counts(project) == [(ALL, 13)]


def test_undone_nothing_stands(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    before = SectionVersion.objects.get(section=section, latex=f"{OWN}\n")
    Section.objects.get(pk=section.pk).restore(before, by=owner)
    (entry,) = entries(project)
    assert (entry.words, entry.stands) == (ALL, 0)
    accept_blocks(Draft.objects.get(), owner)  # and taken once more
    assert counts(project) == [(ALL, ALL)]


def test_a_phrase_that_she_wrote_herself_is_hers(section: Section, project: Project, owner: User) -> None:
    """The draft repeats words of her own text; when it is taken out, hers are no draft's."""
    accepted_draft(section, owner, f"{SECOND} It grows along rivers and lakes in the north of the country as well.")
    ((words, stands),) = counts(project)
    assert words == stands
    written(section, f"{OWN}\n", owner)
    assert counts(project) == [(words, 0)]


def test_two_drafts_with_the_same_words_count_once(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    accepted_draft(section, owner)
    assert counts(project) == [(ALL, ALL), (ALL, ALL)]
    written(section, f"{OWN}\n\n{DRAFTED}\n", owner)
    assert counts(project) == [(ALL, ALL), (ALL, 0)]


def test_taken_in_part(section: Section, project: Project, owner: User) -> None:
    draft = proposal(section, owner, f"{DRAFTED}\n\n{SECOND}")
    accept_blocks(draft, owner, [2])
    only = len(words_of(SECOND).words)
    assert counts(project) == [(only, only)]


def test_what_a_rewriting_left_as_it_was_is_hers(section: Section, project: Project, owner: User) -> None:
    new = OWN.replace("where the soil is wet for most of the year", "on ground that floods flush every single spring")
    accepted_draft(section, owner, f"{new}\n", kind="rewrite", place="whole")
    assert counts(project) == [(8, 8)]


def test_a_draft_of_two_words(section: Section, project: Project, owner: User) -> None:
    draft = accepted_draft(section, owner, "Grey alder")
    assert counts(project) == [(2, 2)]
    written(section, draft.base_latex, owner)
    assert counts(project) == [(2, 0)]


def test_the_offline_engine_and_words_of_a_model_that_it_put_together(
    section: Section, project: Project, owner: User
) -> None:
    accept_blocks(offline(section, owner, SECOND), owner)
    assert [(one.by, one.models) for one in entries(project)] == [("quoted", [])]
    run = run_with(project, owner, 1)  # by a model: its findings are in the model's words
    Usage.objects.create(project=project, subject=run.pk, role="condense", model="claude-haiku-5-5", at=timezone.now())
    accept_blocks(offline(section, owner, DRAFTED, findings=[{"run": str(run.pk), "finding_id": "F1.1-1"}]), owner)
    assert [(one.by, one.models) for one in entries(project)] == [("quoted", []), ("model", ["claude-haiku-5-5"])]


def test_findings_by_who_worded_them(section: Section, project: Project, owner: User) -> None:
    run = run_with(project, owner, 1)
    Usage.objects.create(project=project, subject=run.pk, role="condense", model="claude-haiku-5-5", at=timezone.now())
    accept_blocks(
        insert_as_proposal(
            section, owner, findings_insertion(section.project, [{"run": str(run.pk), "finding_id": "F1.1-1"}])
        ),
        owner,
    )
    (entry,) = entries(project)
    assert (entry.kind, entry.by, entry.models) == ("Findings", "model", ["claude-haiku-5-5"])
    assert (entry.words, entry.stands) == (9, 9)  # Plot 1 held 1 kg of nitrogen per hectare
    run.findings.update(content="Nodules fix nitrogen.")  # its source's words: they come in quotation marks
    accept_blocks(
        insert_as_proposal(
            section, owner, findings_insertion(section.project, [{"run": str(run.pk), "finding_id": "F1.1-1"}])
        ),
        owner,
    )
    assert len(entries(project)) == 1


def test_a_result_of_an_analysis_is_no_models(section: Section, project: Project, owner: User) -> None:
    draft = proposal(section, owner, SECOND, kind="result", engine="R, as it was computed", model="")
    accept_blocks(draft, owner)
    assert entries(project) == []


def test_a_draft_in_the_text_that_nobody_is_recorded_to_have_taken(
    section: Section, project: Project, owner: User
) -> None:
    proposal(section, owner, DRAFTED)
    written(section, f"{OWN}\n\n{DRAFTED}\n", owner)
    (entry,) = entries(project)
    assert (entry.is_recorded, entry.stands, entry.who) == (False, ALL, "")
    written(section, f"{OWN}\n\nStands of alder therefore enrich poor soils.\n", owner)  # too short to say so
    assert entries(project) == []


def test_a_section_that_was_removed_stays_listed(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    move_to_bin(section)
    (use,) = draft_use_by_section(project)
    assert (use.is_removed, use.words, use.stands) == (True, ALL, 0)


def test_who_took_it_before_that_was_recorded(section: Section, project: Project, owner: User, editor: User) -> None:
    draft = proposal(section, owner, DRAFTED)
    accept_blocks(draft, editor)
    Draft.objects.update(taken_by=None, taken_at=None)
    assert [(one.who, one.took_it) for one in entries(project)] == [("Edda Berg", True)]  # whose version it was
    SectionVersion.objects.update(kind="typed")
    assert [(one.who, one.took_it) for one in entries(project)] == [("Asha Menon", False)]  # who asked for it


def test_the_page_that_put_it_in_says_for_whom(section: Section, project: Project, owner: User, editor: User) -> None:
    draft = proposal(section, owner, DRAFTED)
    written(section, f"{OWN}\n\n{DRAFTED}\n", editor)
    record_accepted(draft, editor, [1])
    assert [(one.who, one.took_it, one.stands) for one in entries(project)] == [("Edda Berg", True, ALL)]


def test_as_many_queries_for_many_drafts(
    section: Section, project: Project, owner: User, django_assert_num_queries: Any
) -> None:
    accepted_draft(section, owner)
    with django_assert_num_queries(2):
        draft_use_by_section(project)
    for number in range(6):
        accepted_draft(section, owner, f"{SECOND} This is draft number {number} of the six that follow.")
    with django_assert_num_queries(2):
        draft_use_by_section(project)


# The comparison by itself

WORDS = st.lists(
    st.sampled_from(["alder", "soil", "root", "plot", "grass", "leaf", "日本", "été", "हिन्दी", "n4"]),
    min_size=1,
    max_size=60,
)


@given(WORDS, WORDS, WORDS)
def test_never_more_than_there_is(drafted: list[str], before: list[str], now: list[str]) -> None:
    """Nothing stands that is not in the text, none twice, and what is there whole stands whole."""
    draft, base, latex = (" ".join(words) for words in (drafted, before, now))
    pieces = [Piece(str(n), "s", draft, base=lambda: base) for n in range(2)]
    found = align_drafts(pieces, {"s": latex})
    size = len(words_of(draft).words)
    assert all(one.words == size for one in found.values())
    assert sum(sum(one.stands.values()) for one in found.values()) <= len(words_of(latex).words)
    pieces = [Piece("0", "s", draft, base=lambda: "")]
    assert align_drafts(pieces, {"s": f"{draft}"})["0"].stands == {"s": size}
    assert not align_drafts([Piece("0", "s", draft, base=lambda: "")], {"s": ""})["0"].stands


@given(st.text(alphabet="a {}\\%[]$~\n.é日`'", max_size=200))
def test_any_text_has_words(latex: str) -> None:
    found = words_of(latex)
    assert len(found.words) == len(found.sentences)
    assert all(word.strip() for word in found.words)


def test_words_of_other_scripts_and_accents() -> None:
    assert words_of("Caf\\'e na\\\"{\\i}ve stra\\ss e").words == ["café", "naïve", "strasse"]
    assert words_of("हिन्दी में लिखा").words == ["हिन्दी", "में", "लिखा"]
    assert words_of("日本語").words == ["日", "本", "語"]


def test_the_same_words_over_and_over() -> None:
    """Every place in the text is like every other: it is compared all the same, and ends."""
    piece = Piece("0", "s", "a b " * 5_000, base=lambda: "")
    assert align_drafts([piece], {"s": "a b " * 20_000})["0"].stands == {"s": 10_000}
