"""Find support for a sentence: a small research run searches for works about it and offers them (SPEC T3, T7).

The text and the references change only when a person cites an offered work. Then the work becomes a reference, with its
tier, and its key is added after the sentence, wherever that is in the text by then.
"""

import re
from decimal import Decimal
from os.path import commonprefix
from typing import Literal, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from contextfiles.models import ContextFile
from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import ENDED, State
from latex.bibtex_unicode import to_unicode
from latex.cite_edits import is_own
from latex.cite_keys import cite_commands
from latex.text_edits import Edit, apply_edits
from llm.engine import EngineUnavailable, choose_engine
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.models import Finding, Node, Source
from research.report.finding_list import finding_list
from research.setup.budget import Budget, why_cut_short
from research.setup.profile_registry import resolve
from research.setup.start import RunRequest, start_run
from sections.comment_anchors import AROUND, Anchor, anchor_at
from sections.models import Section
from text.stemming import Token, content_tokens, language_of
from thesis.drafting.limits import check_hourly_limit
from thesis.models import Support
from thesis.run_references import ExpectedReference, expected_references, keys_for

SHORTEST, LONGEST = 15, 1_500  # characters of a sentence
MOST_OFFERED = 8  # works
MOST_FILES = 50  # uploaded files that are searched
CALLS, TOKENS, MINUTES, USD = 24, 250_000, 5, Decimal("1.00")  # the budget of one search
LEAST_SHARED = 2  # words that a bare quotation must share with the sentence to be offered
_END = re.compile(r"[.!?…]+[\"'”’)]*$|''$")
_CITED = r"(?:[ ~]*\\(?=[A-Za-z]*[cC]ite)[A-Za-z]++\*?(?:\[[^\[\]]*\])*\{[^{}]*\})*"

Outcome = Literal["looking", "waiting", "found", "nothing", "failed", "stopped"]


class Offer(NamedTuple):
    """A work that may support the sentence: its `quote`, what it `says` in other words, and the words both share.

    `work` is its present or future reference. `is_cited` is true once it was cited from here.
    """

    source: Source
    finding: Finding
    quote: str
    says: str
    shared: list[str]
    work: ExpectedReference
    is_cited: bool

    @property
    def key(self) -> str:
        """The cite key of its present or future reference."""
        return self.work.citation.cite_key

    @property
    def title(self) -> str:
        """The title of its reference, else of the source."""
        return self.work.citation.title or self.source.title


class Cited(NamedTuple):
    """A cited work: its cite `key`, and the saved `section`, None if the caller inserts the key itself."""

    key: str
    section: Section | None


def look_for_support(
    section: Section,
    user: User,
    sentence: str,
    *,
    start: int | None = None,
    based_on: int | None = None,
    enqueue: bool = True,
) -> Support:
    """Start a small run that searches for works about `sentence`, which is LaTeX of `section` or plain words.

    The sentence begins at character `start` (code points) of version `based_on`; without these it is searched in the
    text. The caller has checked that `user` may write. Raises Refused for fewer than 15 or more than 1,500 characters,
    at the hourly limit (429, hourly_limit), and as `start_run` does.
    """
    check_storable(sentence, "sentence")
    sentence = sentence.strip()
    words = plain_words_of(sentence)
    if len(words) < SHORTEST or not any(letter.isalpha() for letter in words):
        raise Refused(
            "Choose a whole sentence: a few words are not enough to search for.", field="sentence", code="empty"
        )
    if len(sentence) > LONGEST:
        raise Refused(
            f"This is too long for one sentence: {len(sentence):,} characters. The maximum is {LONGEST:,}.",
            field="sentence",
            code="too_long",
        )
    project = section.project
    with Project.objects.held(project.pk):
        check_hourly_limit(user)
        present = Section.objects.get(pk=section.pk)
        anchor = _anchor(present, sentence, start if based_on in (None, present.version) else None)
        asked = RunRequest(
            f"What do works say for or against this: {words}",
            file_ids=_files(project, user),
            budget=Budget(USD, TOKENS, CALLS, MINUTES),
            narrow=True,
        )
        run = start_run(project, user, asked, enqueue=enqueue)
        return Support.objects.create(
            project=project,
            section=present,
            run=run,
            sentence=sentence,
            before=anchor.before,
            after=anchor.after,
            version=present.version,
            created_by=user,
        )


def outcome_of(support: Support) -> Outcome:
    """Return the state of a search: running, waiting for a person, or how it ended."""
    state = support.run.job.state
    if state not in ENDED:
        return "waiting" if state in (State.WAITING, State.PAUSED) else "looking"
    if offers_of(support):
        return "found"
    if state == State.CANCELLED:
        return "stopped"
    # A run that finds nothing ends as failed, so "nothing" means: all its questions were searched to the end
    states = set(support.run.nodes.values_list("state", flat=True))
    looked = bool(states) and states <= {Node.State.ENOUGH, Node.State.GAP} and not why_cut_short(support.run)
    return "nothing" if looked else "failed"


def offers_of(support: Support) -> list[Offer]:
    """Return at most 8 works to offer, nearest first, each once and with its nearest quotation."""
    run = support.run
    wanted = {token.stem: token.surface for token in _content(plain_words_of(support.sentence))}
    found: dict[str, tuple[int, float, Finding, Source, list[str]]] = {}
    for row in finding_list(run):
        have = {token.stem for token in _content(f"{row.finding.content} {row.finding.quote}")}
        shared = [surface for stem, surface in wanted.items() if stem in have]
        if run.only_quotes and len(shared) < min(LEAST_SHARED, len(wanted)):
            continue
        for source in row.sources:
            near = (len(shared), row.finding.confidence)
            if source.document not in found or near > found[source.document][:2]:
                finding = next((one for one in (row.finding, *row.others) if one.source_id == source.pk), row.finding)
                found[source.document] = (len(shared), row.finding.confidence, finding, source, shared)
    ranked = sorted(found.values(), key=lambda one: (-one[0], -one[1], one[3].pk))[:MOST_OFFERED]
    works = expected_references(support.project, [one[3] for one in ranked])
    return [
        Offer(
            source,
            finding,
            finding.quote,
            "" if finding.content.casefold().split() == finding.quote.casefold().split() else finding.content,
            shared,
            works[source.pk],
            works[source.pk].citation.cite_key in support.taken,
        )
        for _, _, finding, source, shared in ranked
    ]


def cite_offer(support: Support, user: User, source_id: str, *, place: bool = True) -> Cited:
    r"""Make an offered work a reference and, with `place`, add its key after the sentence in the present text.

    `source_id` is that of the run's source. Raises Refused for a work that is not offered, and (409, gone) if the
    sentence is no longer in the text. In that case the reference was added and can be cited by hand.
    """
    offer = next((one for one in offers_of(support) if one.source.source_id == source_id), None)
    if offer is None:
        raise Refused("This work is not among those offered.", field="source_id", code="unknown")
    key = keys_for(support.project, user, [offer.source])[offer.source.pk]
    saved = _put_in(support, user, key) if place else None
    with transaction.atomic():
        row = Support.objects.select_for_update().get(pk=support.pk)
        row.taken = list(dict.fromkeys([*row.taken, key]))
        row.save(update_fields=["taken"])
    support.taken = row.taken
    return Cited(key, saved)


def dismiss(support: Support) -> None:
    """Hide a search from the panel and stop its run. Works that were cited stay cited."""
    stop(support)
    support.dismissed_at = support.dismissed_at or timezone.now()
    support.save(update_fields=["dismissed_at"])


def stop(support: Support) -> None:
    """Stop a search. Works found until then are offered."""
    if support.run.job.state not in ENDED:
        support.run.job.ask("cancel")


def plain_words_of(latex: str) -> str:
    r"""Return the plain words of a sentence of LaTeX, without its cite commands."""
    bare = apply_edits(latex, [Edit(one.start, one.end, "") for one in cite_commands(latex)])
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(to_unicode(bare.replace("~", " ")).split()))


def with_key_after(latex: str, start: int, end: int, key: str) -> str:
    r"""Return `latex` with `key` cited at the end of the sentence latex[start:end], before its full stop.

    If the sentence ends with a cite command, the key is added to that command, unless it is there already.
    """
    stop = _END.search(latex[start:end])
    at = start + stop.start() if stop else end
    head = latex[:at].rstrip(" ~")
    for command in cite_commands(latex):
        if command.end == len(head) and not is_own(latex, command):
            if key in command.keys:
                return latex
            close = latex.rfind("}", command.start, command.end)
            return f"{latex[:close]},{key}{latex[close:]}"
    return rf"{head}~\cite{{{key}}}{latex[at:]}"


def _put_in(support: Support, user: User, key: str) -> Section:
    with Project.objects.held(support.project_id):
        section: Section = Section.objects.select_for_update().get(pk=support.section_id)
        place = sentence_place(support, section.latex)
        if place is None:
            raise Refused(
                f"The sentence is no longer in the text. The work was added to your references as {key}: cite it where "
                "it belongs.",
                code="gone",
                status=409,
            )
        return section.take_in(with_key_after(section.latex, *place, key), by=user)


def sentence_place(support: Support, latex: str) -> tuple[int, int] | None:
    """Return start and end of the sentence in `latex`, or None if it is not there word for word.

    Works cited at its end since it was chosen count as part of it. If it occurs more than once, the text that was
    around it decides; None if that does not decide.
    """
    sentence = support.sentence
    stop = _END.search(sentence)
    head, end = (sentence[: stop.start()], stop[0]) if stop else (sentence, "")
    places = [found.span() for found in re.finditer(re.escape(head) + _CITED + re.escape(end), latex)]
    if len(places) < 2:
        return places[0] if places else None
    alike = [_alike(latex, place, support) for place in places]
    best = max(alike)
    return places[alike.index(best)] if best and alike.count(best) == 1 else None


def _alike(latex: str, place: tuple[int, int], support: Support) -> int:
    """Return how many characters around `place` match the text that was around the sentence."""
    before, after = latex[: place[0]][-AROUND:], latex[place[1] :][:AROUND]
    return len(commonprefix([before[::-1], support.before[::-1]])) + len(commonprefix([after, support.after]))


def _anchor(section: Section, sentence: str, start: int | None) -> Anchor:
    text = section.latex
    if start is not None and text[start : start + len(sentence)] == sentence:
        return anchor_at(text, start, start + len(sentence))
    at = text.find(sentence)
    if at < 0:
        return Anchor(sentence)
    return Anchor(sentence, text[max(0, at - AROUND) : at], text[at + len(sentence) :][:AROUND], at)


def _files(project: Project, user: User) -> list[UUID]:
    """Return the uploaded files to search: all of them with the offline engine, none if a model would be sent them."""
    profile, _ = resolve(profile="", mode="", project_default=project.default_profile, overrides=None, user=user)
    try:
        engine = choose_engine(project, local_only=profile.is_local_only)
    except EngineUnavailable:
        return []  # start_run raises the error for the person
    rows = ContextFile.objects.filter(project=project).exclude(status=ContextFile.Status.ERROR).order_by("-uploaded_at")
    return list(rows.values_list("pk", flat=True)[:MOST_FILES]) if engine.name == OfflineEngine.name else []


def _content(text: str) -> list[Token]:
    return content_tokens(text, language_of(text))
