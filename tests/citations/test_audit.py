"""The keys of a text against the entries, both ways (SPEC C7). Pure: no database here."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from citations.audit.audit import Audit, AuditEntry, audit
from citations.audit.audit_json import audit_json
from citations.audit.key_uses import SectionText, Use, uses_in_texts


def entry(key: str, tier: str = "A", status: str = "verified", *, retracted: bool = False) -> AuditEntry:
    return AuditEntry(UUID(int=abs(hash(key)) % 2**100), key, tier, status, retracted)


def section(number: int, latex: str) -> SectionText:
    return SectionText(UUID(int=number), f"section-{number}", number, f"Section {number}", latex)


def use(number: int, count: int = 1) -> Use:
    return Use(UUID(int=number), f"section-{number}", number, f"Section {number}", count)


ENTRIES = [
    entry("a"),
    entry("b", "B", "attested"),
    entry("c", "C", "attested"),
    entry("d", "D", "not_found"),
    entry("x", "D", "conflict"),
    entry("r", "", "review"),
    entry("u", "", "unresolved"),
    entry("old", retracted=True),
]


def found_in(*texts: str) -> Audit:
    return audit(ENTRIES, [section(number, latex) for number, latex in enumerate(texts, 1)])


def test_nothing_cites_nothing() -> None:
    found = audit([], [])
    assert (found.total_citations, found.total_cite_commands, found.integrity_score) == (0, 0, 100)
    assert found_in("Alder.").integrity_score == 100
    assert [one.key for one in found_in("Alder.").orphaned] == ["a", "b", "c", "d", "x", "r", "u", "old"]


def test_only_tiers_a_b_and_c_back_a_command() -> None:
    for key, score in (("a", 100), ("b", 100), ("c", 100), ("d", 0), ("x", 0), ("r", 0), ("u", 0), ("none", 0)):
        assert found_in(f"\\cite{{{key}}}").integrity_score == score, key


def test_a_command_is_backed_when_all_its_keys_are() -> None:
    found = found_in("\\cite{a,b} \\cite{a,d} \\cites{a}{c} \\citep[p.~3]{none}")
    assert (found.backed_commands, found.total_cite_commands, found.integrity_score) == (2, 4, 50)


def test_the_score_is_100_only_when_every_command_is_backed() -> None:
    found = audit([entry("a")], [section(1, "\\cite{a}" * 99_999 + "\\cite{d}")])
    assert found.integrity_score == 99.99
    assert found_in("\\cite{a}\\cite{b}\\cite{d}").integrity_score == 66.66


def test_keys_without_an_entry_and_where_they_stand() -> None:
    found = found_in("\\cite{none} \\citet{none,a}", "\\cite{b}", "\\parencite{none}")
    assert [(one.key, one.used_in, one.alike) for one in found.missing] == [("none", [use(1, 2), use(3)], "")]


def test_capitals_count_and_a_key_that_differs_in_them_is_named() -> None:
    found = found_in("\\cite{OLD}")
    assert [(one.key, one.alike) for one in found.missing] == [("OLD", "old")]
    assert "old" in [one.key for one in found.orphaned]


def test_what_is_in_use_without_proof() -> None:
    found = found_in("\\cite{d,x} \\cite{r}", "\\cite{x} \\cite{u} \\cite{old}")
    assert [(one.entry.key, one.used_in) for one in found.blocking] == [("d", [use(1)]), ("x", [use(1), use(2)])]
    assert [(one.entry.key, one.used_in) for one in found.unproven] == [("r", [use(1)]), ("u", [use(2)])]
    assert [(one.entry.key, one.used_in) for one in found.retracted] == [("old", [use(2)])]
    assert [one.key for one in found.orphaned] == ["a", "b", "c"]


def test_what_is_commented_out_is_not_cited() -> None:
    found = found_in("% \\cite{d}\n\\begin{verbatim}\\cite{none}\\end{verbatim}")
    assert (found.total_cite_commands, found.blocking, found.missing) == (0, [], [])


def test_nocite_of_all_uses_every_entry() -> None:
    found = found_in("\\cite{a}", "\\nocite{*}")
    assert (found.total_cite_commands, found.integrity_score, found.orphaned, found.missing) == (1, 100, [], [])
    assert [(one.entry.key, one.used_in) for one in found.blocking] == [("d", [use(2)]), ("x", [use(2)])]
    assert found_in("\\nocite{d}").integrity_score == 0


def test_as_json() -> None:
    told = audit_json(
        found_in("\\cite{a} \\cite{none}", "\\cite{d}\\cite{d}\\cite{b}\\cite{c}\\cite{x}\\cite{r}\\cite{old}")
    )
    assert set(told) >= {"missing_citations", "orphaned_citations", "tier_d_blocking", "total_citations"}
    assert (told["total_citations"], told["total_cite_commands"], told["integrity_score"]) == (8, 9, 44.44)
    place = {"section_id": str(UUID(int=1)), "number": 1, "slug": "section-1", "title": "Section 1", "count": 1}
    assert told["missing_citations"] == [{"cite_key": "none", "used_in": [place]}]
    assert [(one["cite_key"], one["tier"]) for one in told["orphaned_citations"]] == [("u", None)]
    (d, x) = told["tier_d_blocking"]
    assert (d["cite_key"], d["status"], d["tier"], d["used_in"][0]["count"]) == ("d", "not_found", "D", 2)
    assert (x["cite_key"], x["status"]) == ("x", "conflict")
    assert [one["cite_key"] for one in told["unproven_in_use"]] == ["r"]
    assert [one["cite_key"] for one in told["retracted_in_use"]] == ["old"]


KEYS = st.sampled_from([*(one.key for one in ENTRIES), "none", "A"])
COMMANDS = st.lists(st.lists(KEYS, min_size=1, max_size=3), max_size=12)


@given(st.lists(COMMANDS, max_size=4))
def test_every_key_and_entry_is_told_once_and_the_score_is_the_share(texts: list[list[list[str]]]) -> None:
    sections = [
        section(number, " ".join(f"\\cite{{{','.join(keys)}}}" for keys in text)) for number, text in enumerate(texts)
    ]
    found = audit(ENTRIES, sections)
    commands = [keys for text in texts for keys in text]
    cited = {key for keys in commands for key in keys}
    backed = [keys for keys in commands if all(key in {"a", "b", "c", "old"} for key in keys)]
    assert (found.total_cite_commands, found.backed_commands) == (len(commands), len(backed))
    assert 0 <= found.integrity_score <= 100
    assert (found.integrity_score == 100) == (len(backed) == len(commands))
    assert {one.key for one in found.missing} == cited & {"none", "A"}
    assert {one.key for one in found.orphaned} == {one.key for one in ENTRIES} - cited
    assert {one.entry.key for one in found.blocking} == cited & {"d", "x"}
    assert {one.entry.key for one in found.unproven} == cited & {"r", "u"}
    used = uses_in_texts(sections)
    assert set(used) == cited
    for key, places in used.items():
        assert sum(place.count for place in places) == sum(keys.count(key) for keys in commands)
        assert [place.number for place in places] == sorted({place.number for place in places})
