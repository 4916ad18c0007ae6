"""Taking a proposal: whole or in part, over a text that was edited meanwhile, with a version before and after
(SPEC T3)."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.models import Citation
from core.errors import Refused
from projects.models import User
from sections.models import Section, SectionVersion
from tests.thesis.draft_rows import TEXT, again, section
from tests.thesis.proposals import references
from thesis.drafting.accept import accept_blocks, discard_draft, record_accepted
from thesis.drafting.blocks import Block, changed_blocks, split_paragraphs, verdicts
from thesis.drafting.proposal import settle_proposal
from thesis.models import Draft

__all__ = ["section"]

NEW = (
    "Alder fixes nitrogen in root nodules \\cite{menon2021,lund2020}.\n\n"
    "The soil is old.\n\nLitter too~\\cite{berg2019}.\n"
)


def with_blocks(base: str, blocks: Iterable[Block], numbers: Iterable[int] | None = None) -> str:
    """`base` with those of `blocks` that `numbers` names; None: all."""
    wanted = None if numbers is None else set(numbers)
    parts: list[str] = []
    done = 0
    for block in blocks:
        if wanted is None or block.number in wanted:
            parts += [base[done : block.start], block.latex]
            done = block.end
    return "".join([*parts, base[done:]])


def proposal(section: Section, user: User, answer: str = NEW, **fields: Any) -> Draft:
    """A proposal over the section as it is, made of what an engine said."""
    made = {"kind": "rewrite", "place": "whole", "base_version": section.version, "base_latex": section.latex, **fields}
    draft = Draft.objects.create(project=section.project, section=section, created_by=user, **made)
    return settle_proposal(draft, answer)


@pytest.mark.django_db
def test_all_of_it_without_what_nobody_could_prove(section: Section, owner: User) -> None:
    references(section.project)
    draft = proposal(section, owner)
    assert [(one.key, one.tier, one.bad) for one in verdicts(draft)] == [
        ("menon2021", "A", False), ("lund2020", "D", True), ("berg2019", "D", True),
    ]  # fmt: skip
    before = section.versions.count()
    taken = accept_blocks(draft, owner)
    assert taken.latex == (
        "Alder fixes nitrogen in root nodules \\cite{menon2021}% UNRESOLVED: lund2020 — provide source or remove\n.\n\n"
        "The soil is old.\n\nLitter too~% UNRESOLVED: berg2019 — provide source or remove\n.\n"
    )
    rows = list(taken.versions.all()[:2])
    assert [(row.kind, row.latex) for row in rows] == [("proposed", taken.latex), ("typed", TEXT)]
    assert taken.versions.count() == before + 1
    draft = again(draft)
    assert (draft.outcome, draft.taken) == ("taken", [1, 2])
    # Typing on begins a row of its own, and sent twice it is put in once
    assert accept_blocks(draft, owner).latex == taken.latex
    typed = taken.write(f"{taken.latex}More.\n", based_on=taken.version, by=owner)
    assert typed.versions.filter(kind="proposed", latex=taken.latex).exists()


@pytest.mark.django_db
def test_one_block_and_a_key_insisted_on(section: Section, owner: User) -> None:
    references(section.project)
    draft = proposal(section, owner)
    taken = accept_blocks(draft, owner, [1], insist=["lund2020"])
    assert taken.latex == TEXT.replace("its roots", "root nodules \\cite{menon2021,lund2020}")
    assert (again(draft).outcome, again(draft).taken) == ("partly", [1])
    assert discard_draft(again(draft)).outcome == "partly"
    assert accept_blocks(again(draft), owner, [2], insist=["berg2019"]).latex == NEW
    assert (again(draft).outcome, again(draft).taken) == ("taken", [1, 2])


@pytest.mark.django_db
def test_a_text_that_was_never_saved_has_a_version_before(section: Section, owner: User) -> None:
    Section.objects.filter(pk=section.pk).update(version=0, latex="A heading\n")
    SectionVersion.objects.filter(section=section).delete()
    section.refresh_from_db()
    draft = proposal(section, owner, "One more.", place="end", kind="draft")
    assert accept_blocks(draft, owner).latex == "A heading\n\nOne more.\n"
    assert [row.latex for row in section.versions.all()] == ["A heading\n\nOne more.\n", "A heading\n"]


@pytest.mark.django_db
@pytest.mark.postgres
def test_edited_meanwhile(section: Section, owner: User) -> None:
    references(section.project)
    draft = proposal(section, owner)
    edited = f"Before.\n\n{TEXT}\nBehind.\n"
    section = section.write(edited, based_on=section.version, by=owner)
    taken = accept_blocks(draft, owner, insist=["lund2020", "berg2019"])
    assert taken.latex == f"Before.\n\n{NEW}\nBehind.\n"
    # The paragraph itself is another now
    draft = proposal(taken, owner, NEW.replace("nodules", "tips"))
    changed = taken.write(taken.latex.replace("fixes", "binds"), based_on=taken.version, by=owner)
    with pytest.raises(Refused, match="was edited in the meantime") as refused:
        accept_blocks(draft, owner)
    assert (refused.value.code, refused.value.status) == ("stale", 409)
    assert Section.objects.get(pk=section.pk).latex == changed.latex
    assert again(draft).outcome == ""


@pytest.mark.django_db
def test_at_the_end_of_a_text_that_went_on(section: Section, owner: User) -> None:
    draft = proposal(section, owner, "At last.", place="end", kind="draft")
    changed = section.write("All else.", based_on=section.version, by=owner)
    assert accept_blocks(draft, owner).latex == "All else.\n\nAt last."
    Section.objects.filter(pk=changed.pk).update(latex="")
    empty = Section.objects.get(pk=changed.pk)
    draft = proposal(empty, owner, "One.\n\nTwo.", place="end", kind="draft")
    empty.write("Written by hand.\n", based_on=empty.version, by=owner)
    assert accept_blocks(draft, owner).latex.startswith("Written by hand.\n\nOne.\n\nTwo.\n")


@pytest.mark.django_db
def test_what_cannot_be_taken(section: Section, owner: User) -> None:
    draft = proposal(section, owner, "")
    with pytest.raises(Refused, match="nothing to accept"):
        accept_blocks(draft, owner)
    draft = proposal(section, owner, TEXT)
    assert draft.blocks == []
    assert draft.notes == ["The proposal is identical to the present text."]
    draft = proposal(section, owner)
    for numbers, said in (([7], "This draft has no block 7"), ([], "Choose the blocks")):
        with pytest.raises(Refused, match=said):
            accept_blocks(draft, owner, numbers)
        with pytest.raises(Refused, match=said):
            record_accepted(draft, owner, numbers)
    assert discard_draft(draft).outcome == "discarded"


@pytest.mark.django_db
def test_a_key_the_writer_cites_already_stays(section: Section, owner: User) -> None:
    """What her own text cites is hers, proven or not; what the draft brings is not."""
    references(section.project)
    section = section.write("Soils \\cite{lund2020,own1999}.\n", based_on=section.version, by=owner)
    draft = proposal(section, owner, "Old soils \\cite{lund2020,own1999,made2024,berg2019}.\n")
    told = {one.key: (one.status, one.bad) for one in verdicts(draft)}
    assert told["own1999"] == ("missing", False)
    assert told["made2024"] == ("missing", True)
    assert draft.notes == [
        "It cites made2024. This thesis has no such references, and the answer did not include them."
    ]
    assert "\\cite{lund2020,own1999}" in accept_blocks(draft, owner).latex


@pytest.mark.django_db
def test_the_trailer_is_taken_in_and_never_over_what_is_proven(section: Section, owner: User) -> None:
    references(section.project)
    mine = Citation.objects.get(project=section.project, cite_key="menon2021")
    trailer = (
        "%%% BIBTEX %%%\n@article{menon2021, title = {Nitrogen in alder roots}, author "
        "= {Menon, Asha}, year = {2021}, doi = {10.1/made.up}}\n"
        "@article{lund2020, title = {Quite another work}, author = {Lund, Oskar}, year = {2020}}\n"
        "@article{holt2021, title = {Litter}, author = {Holt, Ida}, year = {2021}}\n"
        "@article{holt2021, title = {Litter}, author = {Holt, Ida}, year = {2021}}\n"
        "@article{broken2020, title = {Half\n"
    )
    draft = proposal(section, owner, f"A \\cite{{menon2021}}, \\cite{{lund2020}}, \\cite{{holt2021}}.\n\n{trailer}")
    kept = Citation.objects.get(pk=mine.pk)
    assert (kept.title, kept.status, kept.doi) == (mine.title, "verified", "")
    # A key that another work has is no way to pass for it
    assert draft.latex == "A \\cite{menon2021}, \\cite{lund2020b}, \\cite{holt2021}.\n"
    assert Citation.objects.filter(project=section.project, cite_key="holt2021").count() == 1
    assert draft.bibtex.count("@article") == 5
    assert "%%%" not in draft.latex
    assert any(note.startswith("In its references") for note in draft.notes)
    assert settle_proposal(draft, draft.answer).latex == draft.latex  # again, as after a crash
    assert Citation.objects.filter(project=section.project).count() == 5


@pytest.mark.parametrize(
    ("base", "place", "start", "end", "said", "made"),
    [
        ("", "end", 0, 0, "A.\n\nB.\n", "A.\n\nB.\n"),
        ("X.\n", "end", 0, 0, "A.", "X.\n\nA.\n"),
        ("X.", "end", 0, 0, "A.", "X.\n\nA.\n"),
        ("X.\r\n\r\nY.\r\n", "end", 0, 0, "A.\n\nB.", "X.\r\n\r\nY.\r\n\r\nA.\r\n\r\nB.\r\n"),
        ("X.\n\n\n", "whole", 0, 0, "A.", "A.\n\n\n"),
        ("One two three.", "range", 4, 7, "2", "One 2 three."),
        ("One two three.", "range", 3, 8, "2", "One 2 three."),
        ("One three.", "range", 3, 3, "two", "One two three."),
        ("One.\n\nThree.\n", "range", 6, 6, "Two.", "One.\n\nTwo.\n\nThree.\n"),
        ("One.\n\n\nThree.\n", "range", 6, 6, "Two.", "One.\n\nTwo.\n\nThree.\n"),
        ("One.", "range", 4, 4, "Two.", "One. Two."),
    ],
)
def test_where_it_stands(base: str, place: str, start: int, end: int, said: str, made: str) -> None:
    from thesis.drafting.proposal import text_with_draft

    draft = Draft(base_latex=base, place=place, start=start, end=end)
    proposed = text_with_draft(draft, said)
    assert proposed == made
    assert with_blocks(base, changed_blocks(base, proposed)) == made


def test_an_environment_is_one_block() -> None:
    table = "\\begin{table}\n\nA & B\n\n\\end{table}"
    assert split_paragraphs(f"X.\n\n{table}\n\nY.\n") == ["X.", "\n\n", table, "\n\n", "Y.", "\n"]
    blocks = changed_blocks("X.\n\nY.\n", f"X.\n\n{table}\n\nY.\n")
    assert [block.latex.strip() for block in blocks] == [table]


def test_paragraphs_are_paired_by_their_words() -> None:
    base = "The soil holds nitrogen.\n\nAlder grows well on wet ground.\n\nNothing more.\n"
    made = (
        "A first word on this.\n\nThe soil of the plots holds nitrogen.\n\nAlder "
        "grows well on quite wet ground.\n\nNothing more.\n"
    )
    assert [(block.was, block.latex) for block in changed_blocks(base, made)] == [
        ("", "A first word on this.\n\n"),
        ("The soil holds nitrogen.", "The soil of the plots holds nitrogen."),
        ("Alder grows well on wet ground.", "Alder grows well on quite wet ground."),
    ]


_PARTS = st.sampled_from(
    ["A one two", "B three", "C", "\\begin{t}x", "y\\end{t}", "\n", " ", "\r\n", "\n\n", "% c", "𝔸é", "\r"]
)
_TEXTS = st.lists(_PARTS, max_size=10).map("".join)


@given(_TEXTS, _TEXTS, st.sets(st.integers(1, 6)))
def test_any_two_texts(base: str, proposed: str, numbers: set[int]) -> None:
    blocks = changed_blocks(base, proposed)
    assert "".join(split_paragraphs(base)) == base
    assert with_blocks(base, blocks) == proposed
    assert with_blocks(base, blocks, []) == base
    assert [block.number for block in blocks] == list(range(1, len(blocks) + 1))
    for block in blocks:
        assert base[block.start : block.end] == block.was != block.latex
    some = with_blocks(base, blocks, numbers)
    rest = [Block(*block) for block in blocks if block.number in numbers]
    assert len(some) == len(base) + sum(len(block.latex) - len(block.was) for block in rest)
