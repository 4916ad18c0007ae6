"""The claims of a report as people look through them: by sentence, with their verdict and what became of them (SPEC R11)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from claims.verification import in_words
from research.models import Claim, Run

VERDICTS = {
    "SUPPORTED": "Supported",
    "PARTIALLY": "Partly",
    "UNSUPPORTED": "Unsupported",
    "CONTRADICTED": "Contradicted",
    "UNCHECKED": "Not checked",
}
TYPES = {
    "negative": "Denies something",
    "quantitative": "Has figures",
    "comparative": "Compares",
    "other": "Other",
}
OUTCOMES = {
    "kept": "As it was written",
    "repaired": "Put right",
    "marked": "Marked in the report",
    "removed": "Taken out",
}
CHANGED = "changed"  # every outcome but the first
STANDING = "standing"  # every outcome but the last


class Sentence(NamedTuple):
    """One sentence of the report: `claims` are its rows, which share its words and its verdict: one for each marker."""

    first: Claim
    claims: list[Claim]

    @property
    def verdict(self) -> str:
        return self.first.verdict

    @property
    def outcome(self) -> str:
        return self.first.outcome

    @property
    def verdict_before(self) -> str:
        """The verdict on what stood there first, as people read it."""
        return VERDICTS.get(self.first.before.get("verdict", ""), "")


def in_order(claims: Iterable[Claim]) -> list[Claim]:
    """`claims` as they stand, or once stood, in the report."""
    return sorted(claims, key=lambda claim: claim.position)


def sentences_of(claims: Iterable[Claim]) -> list[Sentence]:
    """`claims` by sentence, in order."""
    grouped = groupby(in_order(claims), key=lambda one: one.sentence or (one.section, one.text, one.before.get("text")))
    return [Sentence(those[0], those) for those in (list(group) for _, group in grouped)]


@dataclass(frozen=True)
class Wanted:
    """Which sentences are shown: by verdict, type and outcome, "" for all of each."""

    verdict: str = ""
    kind: str = ""
    outcome: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Wanted":
        """From the query of an address; what is not known there chooses nothing."""
        known = {"verdict": VERDICTS, "type": TYPES, "outcome": (*OUTCOMES, CHANGED, STANDING)}
        return cls(*(asked[name] if asked.get(name, "") in values else "" for name, values in known.items()))

    @property
    def is_all(self) -> bool:
        return self == Wanted()

    def fits(self, sentence: Sentence) -> bool:
        outcomes = {"": set(OUTCOMES), CHANGED: OUTCOMES.keys() - {"kept"}, STANDING: OUTCOMES.keys() - {"removed"}}
        return (
            sentence.outcome in outcomes.get(self.outcome, {self.outcome})
            and self.verdict in ("", sentence.verdict)
            and self.kind in ("", sentence.first.claim_type)
        )


def claims_of_run(run: Run) -> list[Claim]:
    """Return the claims of `run` with their sources, without the texts and descriptions that a list does not show."""
    return in_order(run.claims.select_related("source").defer("source__work", "source__csl", "source__assessment"))


def verdict_counts(sentences: Iterable[Sentence]) -> dict[str, int]:
    """Return how many sentences that stand in the report got which verdict, UNCHECKED included."""
    verdicts = Counter(sentence.verdict for sentence in sentences if sentence.outcome != "removed")
    return {name: verdicts[name] for name in VERDICTS}


def summary_of(run: Run, claims: Sequence[Claim]) -> dict[str, Any]:
    """Return what the margin of a report says of its check: {verdicts, checked, fidelity, outcomes, ledger, scope}. `ledger` is
    None of a report that was checked before there was one.
    """
    sentences = sentences_of(claims)
    verdicts = verdict_counts(sentences)
    outcomes = Counter(sentence.outcome for sentence in sentences)
    return {
        "sentences": len(sentences),
        "verdicts": verdicts,
        "checked": sum(verdicts.values()) - verdicts["UNCHECKED"],
        "fidelity": run.fidelity,
        "outcomes": {name: outcomes[name] for name in ("repaired", "marked", "removed") if outcomes[name]},
        "ledger": run.fidelity.get("ledger"),
        "ledger_words": in_words(lines) if (lines := run.fidelity.get("ledger")) else "",
        "scope": _scope(run.fidelity),
    }


def _scope(figures: Mapping[str, Any]) -> str:
    """Return which sentences were checked, in a sentence."""
    if not figures:
        return ""
    claims, others, done = figures["claims"], figures["others"], figures["others_checked"]
    unchecked = claims - figures["checked"]
    if not unchecked:
        return "Every claim was checked." if "ledger" in figures else "Every cited sentence was checked."
    if others - done == unchecked:
        return (
            f"All {claims - others} with figures, comparisons or a “no” were checked, and {done} of the other {others}."
        )
    return f"{figures['checked']} of {claims} {'claims' if 'ledger' in figures else 'cited sentences'} were checked."
