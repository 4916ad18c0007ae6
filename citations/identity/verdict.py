"""The verdict on an entry, with its tier and its reason (SPEC C2; identity-gate.md, rules 1 to 6).

Nothing here makes a request: the caller passes the answers of the registries. The order is that of the measured rule:
an identifier of another work comes before anything that is only probable, and a service that did not answer is never a
reason to say that a work was not found.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from citations.identity.author_lists import author_differences, compare_authors
from citations.identity.gate import compare_fields
from citations.identity.grade import (
    IDENTIFIER_NAMES,
    By,
    Graded,
    agreement,
    are_different_works,
    describe_work,
    differences,
    distinct_works,
    grade,
    is_same_by_identifier,
    join_names,
    join_sentences,
    registry_name,
    same_record,
)
from citations.identity.reference import Reference, reference_from_work
from citations.identity.tiers import PROOF, tier_and_evidence
from citations.identity.verdict_types import Kind, Lookup, Search, Status, Verdict
from sources.identifiers import clean_arxiv
from sources.retractions import Update
from sources.work import Work

CANDIDATES = 5  # of each search; the right work is nearly always among them, and often not the first
_MOST = 20  # candidates of all searches together
_NOT_ASKED = "nobody"  # stands for a service in `failed` where no service was asked


def judge(
    claim: Reference,
    lookups: Sequence[Lookup] = (),
    search: Search | None = None,
    *,
    nobody: str = "No registry knows",
) -> Verdict:
    """Return the verdict on an entry.

    `lookups`: one for each DOI, PMID and arXiv id of the claim; for its ISBN and URL where nothing else proves it.
    `search`: None when no search was made. A lookup that was not made leaves an entry unresolved, as a failed one does.
    `nobody`: how a sentence about an unknown identifier begins, where others than the registries were asked.
    """
    return _Case(claim, lookups, search, nobody).verdict()


class _Case:
    """One entry with all lookups and search results; each rule is a method."""

    def __init__(self, claim: Reference, lookups: Sequence[Lookup], search: Search | None, nobody: str) -> None:
        self.claim = claim
        self.nobody = nobody
        self.search = search
        self.lookups = [*lookups, *_not_asked(claim, lookups)]
        self.searched = search.works[:_MOST] if search else ()
        self.led = [_best(self._grade(work, lookup.kind) for work in lookup.works) for lookup in self.lookups]
        self.proof = [lookup for lookup in self.lookups if lookup.kind in PROOF]
        self.open = [lookup for lookup in self.proof if lookup.failed and not lookup.works]

    @cached_property
    def found(self) -> list[Graded]:
        """The graded search results. Not computed where identifiers alone prove the entry (rule 1)."""
        return [self._grade(work, _found_by(self.claim, work)) for work in self.searched]

    def _grade(self, work: Work, by: By) -> Graded:
        """Grade a record, with the help of other registries' records of the same work."""
        return grade(self.claim, work, by, self._others(work))

    def _others(self, work: Work) -> list[Work]:
        """Return the other records of the same work."""
        return [
            one
            for one in (*(one for lookup in self.lookups for one in lookup.works), *self.searched)
            if one is not work and is_same_by_identifier(work, one)
        ]

    def _with_authors(self, best: Graded) -> Graded:
        """Return the record, with another registry's author list where only that has all claimed authors."""
        if not _lacks_authors(self.claim, best.record):
            return best
        if other := next(
            (
                one
                for one in self._others(best.work)
                if one.authors and not _lacks_authors(self.claim, reference_from_work(one))
            ),
            None,
        ):
            work = best.work.model_copy(update={"authors": other.authors})
            return best._replace(work=work, record=reference_from_work(work))
        return best

    def verdict(self) -> Verdict:
        """Return the verdict of the first rule that applies."""
        return (
            self._conflict()
            or self._identified()
            or self._probable()
            or self._by_search()
            or self._by_other_evidence()
            or self._nothing()
        )

    def _records_led_to(self, grade: str, kinds: Sequence[str] = PROOF) -> list[Graded]:
        """Return the records of this grade that identifiers of these kinds led to."""
        return [
            led
            for lookup, led in zip(self.lookups, self.led, strict=True)
            if lookup.kind in kinds and led and led.grade == grade
        ]

    def _searched(self, grade: str) -> list[Graded]:
        return [one for one in self.found if one.grade == grade]

    def _carrying(self, grade: str) -> list[Graded]:
        """Return the search results of this grade that have an identifier of the claim."""
        return [one for one in self._searched(grade) if one.by != "search"]

    def _conflict(self) -> Verdict | None:
        """Return the verdict of rule 5: an identifier leads to another work, whatever else was found."""
        proven = self._records_led_to("proven")
        for lookup, led in zip(self.lookups, self.led, strict=True):
            is_weak = lookup.kind == "url" or (lookup.kind in ("isbn", "arxiv") and proven)
            if is_weak or led is None or led.grade != "other":
                continue
            fitting = [*proven, *self._searched("proven"), *self._searched("probable")]
            right = next(
                (one.work for one in fitting if not same_record(one.work, led.work)),
                led.work if led.likeness.is_same else None,
            )
            identifier = f"{IDENTIFIER_NAMES[lookup.kind]} {lookup.value}"
            reason = (
                f"The {identifier} leads to a different work: {describe_work(led.work)}. {join_sentences(led.doubts)}"
            )
            return self._verdict("conflict", reason, led, repair=right)
        return None

    def _identified(self) -> Verdict | None:
        """Return the verdict of rule 3 for the records that identifiers led to."""
        proven = self._records_led_to("proven")
        if not proven or self.open:
            proven += self._carrying("proven")
        if not proven:
            return None
        best, works = proven[0], [one.work for one in proven]
        fitting = [one for one in (*proven, *self._records_led_to("probable")) if "arxiv" not in (one.by, best.by)]
        if other := next((one.work for one in fitting if are_different_works(one.work, best.work)), None):
            return self._verdict(
                "review",
                f"Its identifiers lead to two works that both fit: {describe_work(best.work)}, "
                f"and {describe_work(other)}.",
                best,
            )
        if wrong := self._wrong_identifier(works) or self._wrong_arxiv():
            return self._wrong_identifier_verdict(wrong, best)
        if not all(any(_has_identifier(work, lookup.kind, lookup.value) for work in works) for lookup in self.open):
            return self._unresolved(best)
        return self._proven(best, f"{registry_name(best.work)} knows this {IDENTIFIER_NAMES[best.by]}")

    def _wrong_identifier(self, works: Sequence[Work]) -> str:
        """Return a sentence about an identifier that is not a DOI or is in no registry; empty where all are right."""
        for lookup in self.proof:
            if (
                not (
                    lookup.works
                    or lookup.failed
                    or any(_has_identifier(work, lookup.kind, lookup.value) for work in works)
                )
                and lookup.kind not in self._not_known_yet()
            ):
                return f"{self.nobody} the {IDENTIFIER_NAMES[lookup.kind]} {lookup.value}."
        return f"“{self.claim.unread_doi[:80]}” is not a DOI." if self.claim.unread_doi else ""

    def _not_known_yet(self) -> tuple[Kind, ...]:
        """Return ("pmid",) where PubMed does not know the PMID yet and a DOI proves the entry, else nothing.

        New articles appear in PubMed late.
        """
        proven = self._records_led_to("proven", ("doi",))
        is_unknown = any(lookup.kind == "pmid" and not lookup.works and not lookup.failed for lookup in self.lookups)
        return ("pmid",) if proven and is_unknown and not any(one.work.pmid for one in proven) else ()

    def _wrong_arxiv(self) -> str:
        """Return a sentence about an arXiv id of another work, beside a DOI or PMID that proves the entry."""
        for lookup, led in zip(self.lookups, self.led, strict=True):
            if lookup.kind == "arxiv" and led is not None and led.grade == "other":
                return f"The arXiv id {lookup.value} leads to {describe_work(led.work)}."
        return ""

    def _wrong_identifier_verdict(self, wrong: str, best: Graded) -> Verdict:
        """Return the verdict of rule 4: the work exists, but one of the entry's identifiers is not its own."""
        return self._verdict(
            "review",
            f"{wrong} The work itself was found: {describe_work(best.work)}. {join_sentences(best.doubts)}",
            best,
            repair=best.work,
        )

    def _probable(self) -> Verdict | None:
        """Return the verdict of rule 4 for the records that identifiers led to, with the exceptions to rule 5."""
        probable = [*self._records_led_to("probable"), *self._carrying("probable")]
        if not probable:
            return None
        best = probable[0]
        better = next((one.work for one in self._searched("proven") if not same_record(one.work, best.work)), None)
        return self._verdict(
            "review",
            f"The {IDENTIFIER_NAMES[best.by]} leads to {describe_work(best.work)}. {join_sentences(best.doubts)}",
            best,
            repair=better,
        )

    def _by_search(self) -> Verdict | None:
        """Return the verdict of rules 3 and 4 for records that only a search found."""
        proven = distinct_works(self._searched("proven"), self.claim)
        probable = self._searched("probable")
        if not proven and not probable:
            return None
        best = (proven or probable)[0]
        if self.open or (not proven and self.search and self.search.failed):
            return self._unresolved(best)
        if wrong := self._wrong_identifier([one.work for one in (*proven, *probable)]):
            return self._wrong_identifier_verdict(wrong, best)
        if len(proven) > 1:
            works = "; ".join(describe_work(one.work) for one in proven[:CANDIDATES])
            return self._verdict("review", f"More than one work fits: {works}.", best)
        if not proven:
            return self._verdict(
                "review", f"A search found {describe_work(best.work)}. {join_sentences(best.doubts)}", best
            )
        return self._proven(best, f"A search found it in {registry_name(best.work)}")

    def _by_other_evidence(self) -> Verdict | None:
        """Return the verdict for tier B: a book's ISBN or a web page, where no registry of papers has the work."""
        proven, probable = (
            self._records_led_to("proven", ("isbn", "url")),
            self._records_led_to("probable", ("isbn", "url")),
        )
        if self.open or not (proven or probable):
            return None
        best = (proven or probable)[0]
        if wrong := self._wrong_identifier([best.work]):
            return self._wrong_identifier_verdict(wrong, best)
        if proven:
            return self._proven(best, f"Its {IDENTIFIER_NAMES[best.by]} leads to it")
        return self._verdict(
            "review",
            f"Its {IDENTIFIER_NAMES[best.by]} leads to {describe_work(best.work)}. {join_sentences(best.doubts)}",
            best,
        )

    def _nothing(self) -> Verdict:
        """Return the verdict of rule 6: not found, but only where every service answered."""
        if (
            self.search is None
            or any(lookup.failed and not lookup.works for lookup in self.lookups)
            or self.search.failed
        ):
            return self._unresolved(None)
        unknown = [f"the {IDENTIFIER_NAMES[lookup.kind]} {lookup.value}" for lookup in self.lookups if not lookup.works]
        also = f" {self.nobody} {' or '.join(unknown)}." if unknown else ""
        return Verdict("not_found", "D", f"No work with this title, these authors and this year was found.{also}")

    def _unresolved(self, best: Graded | None) -> Verdict:
        names = list(
            dict.fromkeys(
                [
                    *[name for lookup in self.lookups for name in lookup.failed if name != _NOT_ASKED],
                    *(self.search.failed if self.search else ()),
                ]
            )
        )
        reason = (
            f"{join_names(names)} did not answer and will be asked again."
            if names
            else "Not all lookups were made yet."
        )
        return self._verdict("unresolved", reason, best) if best else Verdict("unresolved", None, reason)

    def _proven(self, best: Graded, reason: str) -> Verdict:
        best = self._with_authors(best)
        tier, kind, value = tier_and_evidence(best, self.claim)
        rows = compare_fields(self.claim, best.record)
        agrees = agreement(rows)
        unproven = self._not_known_yet()
        told_of = (
            f"{reason}, and {agrees}." if agrees else f"{reason}.",
            differences(rows, author_differences(self.claim, best.record), is_taken=kind != "url"),
            f"PubMed does not know the PMID {self.claim.pmid} yet, so it is left out." if unproven else "",
        )
        return Verdict(
            "verified",
            tier,
            join_sentences(filter(None, told_of)),
            best.work,
            rows,
            kind,
            value,
            retraction=retraction_of(best.work),
            unproven=unproven,
        )

    def _verdict(self, status: Status, reason: str, best: Graded, *, repair: Work | None = None) -> Verdict:
        published = best.work.published_version_doi if status == "review" else None
        return Verdict(
            status,
            "D" if status == "conflict" else None,
            reason.strip(),
            best.work,
            compare_fields(self.claim, best.record),
            repair=repair,
            repair_doi=(repair.doi if repair else published) or "",
            retraction=retraction_of(best.work) if status == "review" else None,
        )


def retraction_of(work: Work) -> Update | None:
    """Return the most serious notice about a work: its retraction, else an expression of concern (SPEC C11)."""
    if retracts := next((update for update in work.updates if update.retracts), None):
        return retracts
    if work.is_retracted:
        return Update(type="retraction", source=work.provider)
    return next((update for update in work.updates if update.type == "expression_of_concern"), None)


def _not_asked(claim: Reference, lookups: Sequence[Lookup]) -> list[Lookup]:
    """Return a failed lookup for each identifier of the claim that was not looked up, so that it is not ignored."""
    kinds = PROOF if clean_arxiv(claim.doi) != claim.arxiv else PROOF[:2]
    asked = {lookup.kind for lookup in lookups}
    return [
        Lookup(kind, value, failed=(_NOT_ASKED,))
        for kind, value in ((kind, getattr(claim, kind)) for kind in kinds if kind not in asked)
        if value
    ]


def _best(graded: Iterable[Graded]) -> Graded | None:
    """Return the best graded of several records; registries differ in what they know about a work."""
    return min(graded, key=lambda one: ("proven", "probable", "other").index(one.grade), default=None)


def _found_by(claim: Reference, work: Work) -> By:
    """Return the kind of identifier that a search result shares with the claim, or "search" for none."""
    return next((kind for kind in PROOF if _has_identifier(work, kind, getattr(claim, kind) or "")), "search")


def _has_identifier(work: Work, kind: Kind, value: str) -> bool:
    if kind == "arxiv":
        return bool(value) and (work.arxiv == value or work.doi == f"10.48550/arxiv.{value}")
    return bool(value) and getattr(work, kind, None) == value.casefold()


def _lacks_authors(claim: Reference, record: Reference) -> bool:
    return bool(compare_authors(claim.people, record.people).missing)
