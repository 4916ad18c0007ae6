"""What is to be looked at before a thesis is handed in, over values (SPEC C2, T5)."""

from dataclasses import replace
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from citations.audit.audit import AuditEntry, audit
from citations.audit.key_uses import SectionText
from citations.models import RetractionReason
from thesis.assembly.assemble import Assembled, Loose, Missing, Unclosed, Undefined
from thesis.front_matter.page_fields import Unfilled
from thesis.front_matter.word_limits import Limit
from thesis.manuscript import Chapter, LayoutValues, Manuscript
from thesis.preflight import Finding, preflight

PROJECT = UUID(int=7)
INTRO = Chapter("1", 2, "introduction", "Introduction", "One \\cite{a}.", 900)
RESULTS = Chapter("2", 6, "results", "Results", "", 0)
TWO = Limit("introduction", None, 2, "T07", "Introduction at most 2 pages.", "single source", "a copy")


def thesis(*chapters: Chapter) -> Manuscript:
    return Manuscript("Alder and soil", "Asha Menon", chapters=list(chapters), layout=LayoutValues())


def assembled(**found: object) -> Assembled:
    return Assembled({}, "main.tex", **found)  # type: ignore[arg-type]


def found(*entries: AuditEntry, latex: str = "", **more: object) -> list[Finding]:
    text = SectionText(uuid4(), "introduction", 2, "Introduction", latex)
    return preflight(PROJECT, thesis(INTRO), assembled(**more), audit(entries, [text]))


def entry(key: str, tier: str, status: str, *, retracted: bool = False) -> AuditEntry:
    return AuditEntry(uuid4(), key, tier, status, retracted)


def test_each_row_of_the_table_of_citations() -> None:
    """C2: verified and attested pass; a conflict, no proof, one to confirm, one not looked up and an unknown key
    block; so does a retracted work until somebody says why it is cited. An own file does not."""
    rows = [
        entry("ok", "A", "verified"),
        entry("said", "C", "attested"),
        entry("wrong", "D", "conflict"),
        entry("none", "D", "not_found"),
        entry("maybe", "", "review"),
        entry("later", "", "unresolved"),
        entry("idle", "D", "not_found"),
        entry("gone", "A", "verified", retracted=True),
        entry("known", "A", "verified", retracted=True)._replace(
            reason=RetractionReason("It shows the harm.", "Asha Menon")
        ),
        entry("notes", "", "file")._replace(is_anonymous=True),
        entry("diary", "", "file"),
    ]
    said = found(
        *rows,
        latex="\\cite{ok,said,wrong,none,maybe,later,ghost,gone,known,notes,diary}",
        undefined=[Undefined("ghost", "1", 4)],
    )
    assert [(one.level, one.kind, one.title) for one in said] == [
        ("blocks", "conflict", "wrong conflicts with its record"),
        ("blocks", "unproven", "none was not found"),
        ("blocks", "missing_key", "ghost is not in the list of citations"),
        ("blocks", "review", "maybe needs to be confirmed"),
        ("blocks", "unchecked", "later has not been looked up yet"),
        ("blocks", "retracted", "gone is retracted"),
        ("warns", "file", "notes has no author"),
        ("notes", "retracted", "known is retracted, and cited for a reason"),
    ]
    conflict, unproven, ghost, *_ = said
    assert conflict.href == f"/projects/{PROJECT}/citations/{rows[2].id}/#why"
    assert unproven.said.startswith(
        "Cited in “Introduction”. No registry knows it. It is left out of the PDF until it is verified"
    )
    assert said[5].href == f"/projects/{PROJECT}/citations/{rows[7].id}/#retraction"
    assert said[-1].said == "Cited in “Introduction”. Why it is cited (Asha Menon): “It shows the harm.”"
    assert (ghost.section, ghost.slug, ghost.line) == ("1", "introduction", 4)
    assert ghost.href == f"/projects/{PROJECT}/sections/introduction/?line=4"
    assert ghost.act == "Go to line 4"


def test_a_key_that_only_a_trailer_has_blocks_and_says_so() -> None:
    [one] = found(latex="\\cite{drafted}")
    assert one.level == "blocks"
    assert "Its BibTeX is only at the end of a section" in one.said
    assert one.href == f"/projects/{PROJECT}/citations/add/"


def test_a_key_in_other_capitals_names_the_one_there_is() -> None:
    said = found(
        entry("Menon2020", "A", "verified"), latex="\\cite{menon2020}", undefined=[Undefined("menon2020", "1", 1)]
    )
    assert "Did you mean Menon2020? Case matters." in said[0].said


def test_what_tex_would_stumble_over_names_its_line() -> None:
    said = found(
        missing_pictures=[Missing("figures/flow.png", "1", 12)],
        unclosed=[Unclosed("table", "1", 3), Unclosed("itemize", "1", 9, is_open=False), Unclosed("{", "1", 11)],
        loose_refs=[Loose("tab:none", "1", 7)],
        doubled_labels=[Loose("fig:twice", "1", 8)],
    )
    assert [(one.level, one.title, one.line) for one in said] == [
        ("blocks", "The picture figures/flow.png is missing", 12),
        ("blocks", "The environment table is not closed", 3),
        ("blocks", "The environment itemize is closed but was never opened", 9),
        ("warns", "The brace { is not closed", 11),
        ("warns", "The label tab:none does not exist", 7),
        ("warns", "The label fig:twice is used more than once", 8),
    ]
    assert "\\end{table}" in said[1].said
    assert "\\begin{itemize}" in said[2].said


def test_a_reference_that_leads_nowhere_is_told_once_a_section() -> None:
    loose = [Loose("none", "1", 7), Loose("none", "1", 9)]
    assert [one.line for one in found(loose_refs=loose)] == [7]


def test_what_the_forms_lack_is_a_note_with_the_way_there() -> None:
    lacks = [Unfilled("guide_name", "Guide", "Title page, Declaration")]
    [one] = preflight(PROJECT, thesis(INTRO), assembled(), audit([], []), unfilled=lacks)
    assert (one.level, one.title, one.href) == ("notes", "Guide is not filled in", f"/projects/{PROJECT}/layout/")
    assert "Title page, Declaration" in one.said


def test_empty_chapters_warn_and_an_empty_front_matter_does_not() -> None:
    front = Chapter("0", 0, "front-matter", "Front matter", "", 0)
    said = preflight(PROJECT, thesis(front, INTRO, RESULTS), assembled(), audit([], []))
    assert [(one.level, one.title, one.href) for one in said] == [
        ("warns", "“Results” is empty", f"/projects/{PROJECT}/sections/results/")
    ]


def test_a_chapter_over_its_pages_is_told_with_the_rule_and_never_blocks() -> None:
    def told(pages: dict[str, int], limit: Limit = TWO) -> list[Finding]:
        return preflight(PROJECT, thesis(INTRO), assembled(), audit([], []), pages=pages, limits=[limit])

    [by_words] = told({})
    assert by_words.title == "“Introduction” has about 3 pages; at most 2 are recommended"
    assert "Rule T07, single source: a copy." in by_words.said
    [by_pages] = told({"1": 5, "": 90})
    assert by_pages.title == "“Introduction” has 5 pages; at most 2 are recommended"
    assert told({"1": 2}) == []
    [under] = told({"1": 1}, replace(TWO, least=4, most=None))
    assert (under.level, under.title) == ("notes", "“Introduction” has 1 page; at least 4 are recommended")
    [whole] = told({"": 90}, replace(TWO, slug="", most=80))
    assert whole.title == "The thesis has 90 pages; at most 80 are recommended"
    [long] = told({}, replace(TWO, most=300, unit="words"))
    assert long.title == "“Introduction” has 900 words; at most 300 are recommended"
    assert {by_words.level, by_pages.level, whole.level, long.level} == {"warns"}


STATUSES = st.sampled_from(
    [
        *(("A", "verified"), ("B", "attested"), ("D", "conflict"), ("D", "not_found")),
        *(("", "review"), ("", "unresolved"), ("", "file")),
    ]
)


@given(st.lists(st.tuples(STATUSES, st.booleans(), st.booleans()), max_size=12))
def test_it_blocks_when_and_only_when_a_citation_in_use_is_not_proven(
    rows: list[tuple[tuple[str, str], bool, bool]],
) -> None:
    entries = [entry(f"k{number}", tier, status, retracted=bad) for number, ((tier, status), _, bad) in enumerate(rows)]
    cited = [one for one, (_, is_cited, _) in zip(entries, rows, strict=True) if is_cited]
    said = found(*entries, latex="".join(f"\\cite{{{one.key}}} " for one in cited))
    blocked = {one.title.split()[0] for one in said if one.level == "blocks"}
    passes = {one.key for one in cited if (one.tier in ("A", "B", "C") or one.status == "file") and not one.retracted}
    assert blocked == {one.key for one in cited} - passes
    assert sorted(said, key=lambda one: ("blocks", "warns", "notes").index(one.level)) == said
