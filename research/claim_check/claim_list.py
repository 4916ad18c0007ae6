"""The claims of a report as pages list them: by sentence, with verdict and outcome (SPEC R11)."""

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
    "negative": "Negative statement",
    "quantitative": "Figures",
    "comparative": "Comparison",
    "other": "Other",
}
OUTCOMES = {
    "kept": "Unchanged",
    "repaired": "Corrected",
    "marked": "Marked in the report",
    "removed": "Removed",
}
CHANGED = "changed"  # filter: every outcome but "kept"
STANDING = "standing"  # filter: every outcome but "removed"


class Sentence(NamedTuple):
    """One sentence of the report. `claims` are its rows, one for each marker; they share text and verdict."""

    first: Claim
    claims: list[Claim]

    @property
    def verdict(self) -> str:
        """Return the verdict on the sentence."""
        return self.first.verdict

    @property
    def outcome(self) -> str:
        """Return the outcome of the check: kept, repaired, marked or removed."""
        return self.first.outcome

    @property
    def verdict_before(self) -> str:
        """Return the label of the verdict on the sentence as first written; "" if it was not changed."""
        return VERDICTS.get(self.first.before.get("verdict", ""), "")


def in_order(claims: Iterable[Claim]) -> list[Claim]:
    """Return `claims` in the order of the report as it was first written."""
    return sorted(claims, key=lambda claim: claim.position)


def sentences_of(claims: Iterable[Claim]) -> list[Sentence]:
    """Return `claims` grouped by sentence, in order."""
    grouped = groupby(in_order(claims), key=lambda one: one.sentence or (one.section, one.text, one.before.get("text")))
    return [Sentence(those[0], those) for those in (list(group) for _, group in grouped)]


@dataclass(frozen=True)
class ClaimFilter:
    """A filter for sentences by verdict, type and outcome; "" matches all."""

    verdict: str = ""
    kind: str = ""
    outcome: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "ClaimFilter":
        """Return the filter from the query parameters `asked`; unknown values are ignored."""
        known = {"verdict": VERDICTS, "type": TYPES, "outcome": (*OUTCOMES, CHANGED, STANDING)}
        return cls(*(asked[name] if asked.get(name, "") in values else "" for name, values in known.items()))

    @property
    def is_all(self) -> bool:
        """Return whether the filter matches all sentences."""
        return self == ClaimFilter()

    def fits(self, sentence: Sentence) -> bool:
        """Return whether `sentence` matches the filter."""
        outcomes = {"": set(OUTCOMES), CHANGED: OUTCOMES.keys() - {"kept"}, STANDING: OUTCOMES.keys() - {"removed"}}
        return (
            sentence.outcome in outcomes.get(self.outcome, {self.outcome})
            and self.verdict in ("", sentence.verdict)
            and self.kind in ("", sentence.first.claim_type)
        )


def claims_of_run(run: Run) -> list[Claim]:
    """Return the claims of `run` with their sources, without the large fields that lists do not show."""
    return in_order(run.claims.select_related("source").defer("source__work", "source__csl", "source__assessment"))


def verdict_counts(sentences: Iterable[Sentence]) -> dict[str, int]:
    """Return the number of sentences of the report with each verdict, UNCHECKED included."""
    verdicts = Counter(sentence.verdict for sentence in sentences if sentence.outcome != "removed")
    return {name: verdicts[name] for name in VERDICTS}


def summary_of(run: Run, claims: Sequence[Claim]) -> dict[str, Any]:
    """Return the summary of the claim check for the side of the report: {verdicts, checked, fidelity, outcomes, ...}.

    `ledger` is None for a report that was checked before runs had one.
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
    """Return a sentence that says which claims were checked."""
    if not figures:
        return ""
    claims, others, done = figures["claims"], figures["others"], figures["others_checked"]
    unchecked = claims - figures["checked"]
    if not unchecked:
        return "Every claim was checked." if "ledger" in figures else "Every cited sentence was checked."
    if others - done == unchecked:
        return (
            f"All {claims - others} claims with figures, comparisons or negations were checked, and {done} of the "
            f"other {others}."
        )
    return f"{figures['checked']} of {claims} {'claims' if 'ledger' in figures else 'cited sentences'} were checked."
