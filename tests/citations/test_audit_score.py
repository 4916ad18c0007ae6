"""What the score of an audit says: what is proven, refuted, failed, not looked up (SPEC C7). Pure: no database here."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.audit.audit import WORST_FIRST, Audit, AuditEntry, audit, headline, percent, summary
from citations.audit.audit_json import audit_json
from citations.audit.key_uses import SectionText

ROWS = {
    "proven": ("A", "verified"),
    "refuted": ("D", "not_found"),
    "conflict": ("D", "conflict"),
    "review": ("", "review"),
    "later": ("", "unresolved"),
    "soon": ("", "unresolved"),
    "failed": ("", "unresolved"),
    "bare": ("D", "not_found"),
    "file": ("", "file"),
}
ENTRIES = [
    AuditEntry(uuid4(), key, *row, False, key in ("soon", "failed"), key == "failed", key == "bare")
    for key, row in ROWS.items()
]
REFUTED = "Refuted means that no registry knows the work, or that its identifier belongs to another work."


def found_in(latex: str) -> Audit:
    return audit(ENTRIES, [SectionText(uuid4(), "results", 6, "Results", latex)])


def cites(*keys: str) -> str:
    return "".join(f"\\cite{{{key}}} " for key in keys)


@pytest.mark.parametrize(
    ("latex", "shown", "says"),
    [
        ("Alder.", "Nothing cited yet", "Nothing cited yet."),
        (cites("proven"), 100, "1 of 1 citation in the text is proven."),
        (
            cites(*["proven"] * 7, "refuted", "later", "later"),
            70,
            f"7 of 10 citations in the text are proven. 1 is refuted, 2 are not looked up yet. {REFUTED}",
        ),
        (cites("later", "later"), "Not looked up yet",
         "0 of 2 citations in the text are proven. 2 are not looked up yet."),
        (cites("soon"), "Being looked up", "0 of 1 citation in the text is proven. 1 is being looked up."),
        (
            cites("failed", "soon"),
            "Lookup failed",
            "0 of 2 citations in the text are proven. The lookup of 1 failed, 1 is being looked up. "
            "A lookup fails when a registry does not answer; it will be repeated.",
        ),
        (
            cites("bare"),
            0,
            "0 of 1 citation in the text is proven. 1 cannot be looked up. "
            "A work cannot be looked up when its entry has neither a title nor an identifier.",
        ),
        (cites("conflict", "none"), 0,
         f"0 of 2 citations in the text are proven. 1 is refuted, 1 has no entry. {REFUTED}"),
        (
            cites("proven", "file", "file"),
            100,
            "1 of 1 citation in the text is proven. 2 more cite your own files, "
            "which are counted separately.",
        ),
        (cites("file"), "Your own files only", "1 citation in the text, to your own file. Files are not looked up."),
        (cites("proven,file"), "Your own files only",
         "1 citation in the text, to your own file. Files are not looked up."),
        (cites("proven,later", "refuted,later"), 0,
         f"0 of 2 citations in the text are proven. 1 is refuted, 1 is not looked up yet. {REFUTED}"),
    ],
)  # fmt: skip
def test_each_state_has_a_sentence_of_its_own(latex: str, shown: int | str, says: str) -> None:
    found = found_in(latex)
    assert summary(found) == says
    assert (headline(found) or percent(found)) == shown
    assert audit_json(found)["summary"] == says
    if isinstance(shown, str):
        assert percent(found) is None, "no number stands for what was not looked up"


def test_the_number_for_programs_stays() -> None:
    """SPEC C7: 100 where there is nothing to prove."""
    assert audit_json(found_in("Alder."))["integrity_score"] == 100
    assert audit_json(found_in(cites("file")))["integrity_score"] == 100
    assert audit_json(found_in(cites("later")))["integrity_score"] == 0
    told = audit_json(found_in(cites("file,proven", "refuted")))
    assert (told["total_cite_commands"], told["integrity_score"]) == (2, 0)
    assert [one["cite_key"] for one in told["files_in_use"]] == ["file"]
    assert told["unproven_in_use"] == []


KEYS = st.sampled_from([*ROWS, "none"])


@given(st.lists(st.lists(KEYS, min_size=1, max_size=3), max_size=12))
def test_every_command_counts_once_as_the_worst_of_its_keys(commands: list[list[str]]) -> None:
    found = found_in(cites(*(",".join(keys) for keys in commands)))
    assert found.commands.total() == found.total_cite_commands == len(commands)
    assert set(found.commands) <= set(WORST_FIRST)
    alone = {key: next(iter(found_in(cites(key)).commands)) for key in {key for keys in commands for key in keys}}
    worst = sorted(min((alone[key] for key in keys), key=WORST_FIRST.index) for keys in commands)
    assert sorted(found.commands.elements()) == worst
    assert (percent(found) == 100) == (found.backed_commands == found.scored_commands > 0)
