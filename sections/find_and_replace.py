"""Finding and replacing words in a whole thesis, as one change that can be undone (SPEC T2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

from django.utils import timezone

from core.errors import Refused
from latex.find_words import Match, Search, find_words, replace_words
from projects.models import Project, User
from sections.models import ReplacedText, Replacement, Section, SectionVersion
from sections.printed_numbers import compute_printed_numbers
from sections.undo_edits import in_new_text, undo_edits

MOST = 10_000  # matches in a thesis
_AROUND = 30  # characters of the source on either side by which a match is known again

Keys = Mapping[UUID, Sequence[str]]  # of the matches in each section


class KeyedMatch(NamedTuple):
    """A match with the key by which it is found again after the text changed elsewhere."""

    key: str
    match: Match


@dataclass
class FoundInSection:
    """The matches in a section, whose title is printed with `number`."""

    section: Section
    number: str
    matches: list[KeyedMatch]


@dataclass
class FoundInThesis:
    """The matches of a search. `is_cut`: there are more than can be listed or replaced."""

    search: Search
    sections: list[FoundInSection]
    is_cut: bool = False

    @property
    def total(self) -> int:
        """Return the number of matches."""
        return sum(len(one.matches) for one in self.sections)

    @property
    def keys(self) -> dict[UUID, list[str]]:
        """Return the keys of all matches."""
        return {one.section.pk: [match.key for match in one.matches] for one in self.sections}


@dataclass
class Outcome:
    """What a replacement, or undoing it, did: `sections` changed in `number` places; `left` says what did not."""

    replacement: Replacement | None = None
    number: int = 0
    sections: list[Section] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def find_in_thesis(project: Project, search: Search) -> FoundInThesis:
    """Return the matches of `search` in the sections of `project`, in order."""
    numbers = compute_printed_numbers(project).sections
    found: list[FoundInSection] = []
    left = MOST
    for section in Section.objects.filter(project=project).order_by("number", "pk"):
        matches = keyed(section.latex, find_words(section.latex, search, left + 1))
        if len(matches) > left:
            return FoundInThesis(search, found, is_cut=True)
        left -= len(matches)
        if matches:
            found.append(FoundInSection(section, numbers.get(str(section.pk), ""), matches))
    return FoundInThesis(search, found)


def keyed(latex: str, matches: Sequence[Match]) -> list[KeyedMatch]:
    """Return `matches` in `latex` with their keys: the place, and check sums of the text before and after it."""
    return [
        KeyedMatch(
            f"{one.start}-{_sum(latex[max(0, one.start - _AROUND) : one.end])}"
            f"-{_sum(latex[one.start : one.end + _AROUND])}",
            one,
        )
        for one in matches
    ]


def _sum(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):x}"


def replace_in_thesis(project: Project, search: Search, new: str, chosen: Keys | None, *, by: User) -> Outcome:
    """Replace the `chosen` matches (None: all) by `new` in one change, each section as a new version.

    A section that was saved since the search is searched again: a match is replaced where the text around it is the
    same, and named otherwise. Raises Refused if there are more matches than can be replaced at once.
    """
    outcome = Outcome()
    changes: list[ReplacedText] = []
    with Project.objects.held(project.pk):
        rows = Section.objects.filter(project=project).order_by("number", "pk")
        if chosen is not None:
            rows = rows.filter(pk__in=chosen)
        for section in rows.select_for_update():
            matches = keyed(section.latex, find_words(section.latex, search, MOST + 1))
            starts, lost = _starts(matches, None if chosen is None else chosen[section.pk])
            if outcome.number + len(starts) > MOST:
                raise Refused(f"More than {MOST:,} matches cannot be replaced at once. Search for longer words.")
            made = replace_words(section.latex, search, new, starts, MOST)
            outcome.left += _left(section, lost, len(made.left))
            if made.latex == section.latex:
                continue
            saved = _save(section, made.latex, SectionVersion.Kind.REPLACED, by)
            version = saved.versions.get(version=saved.version)
            changes.append(ReplacedText(version=version, edits=in_new_text(section.latex, made.edits)))
            outcome.sections.append(saved)
            outcome.number += len(made.edits)
        if changes:
            outcome.replacement = Replacement.objects.create(project=project, words=search.words, new=new, made_by=by)
            for one in changes:
                one.replacement = outcome.replacement
            ReplacedText.objects.bulk_create(changes)
    return outcome


def _save(section: Section, latex: str, kind: SectionVersion.Kind, by: User) -> Section:
    """Save `latex` as a version of its own, after one of the present text, and return the section."""
    section.current_version_row()
    section.refresh_from_db(fields=["version"])
    return section.write(latex, based_on=section.version, by=by, kind=kind)


def _starts(matches: Sequence[KeyedMatch], keys: Sequence[str] | None) -> tuple[set[int], int]:
    """Return where the matches with `keys` begin, and how many of them are gone.

    After an edit elsewhere it is the nearest one with the same text before or after it.
    """
    if keys is None:
        return {one.match.start for one in matches}, 0
    there = {one.key: one.match.start for one in matches}
    starts = {there[key] for key in keys if key in there}
    missing = sorted(set(keys) - there.keys())
    free: dict[str, set[int]] = {}  # the places of the others, by what stands around them
    for one in matches if missing else ():
        if one.match.start not in starts:
            for around in _around(one.key):
                free.setdefault(around, set()).add(one.match.start)
    lost = 0
    for key in missing:
        place = key.partition("-")[0]
        old = int(place) if place.isdecimal() and len(place) < 12 else 0
        left = next((places for around in _around(key) if (places := free.get(around, set()) - starts)), None)
        if left:
            starts.add(min(left, key=lambda at: abs(at - old)))
        else:
            lost += 1
    return starts, lost


def _around(key: str) -> list[str]:
    """Return what names the surroundings of a match: both sides, the one before, the one after it."""
    _, _, sides = key.partition("-")
    before, _, after = sides.partition("-")
    return [sides, f"{before}-", f"-{after}"]


def _left(section: Section, lost: int, unwritten: int) -> list[str]:
    """Return sentences on the matches of a section that were not replaced."""
    left = []
    if lost:
        left.append(f"{section}: {_matches(lost)} changed since you searched, and not replaced.")
    if unwritten:
        left.append(f"{section}: {_matches(unwritten)} not replaced, because a command next to it would change.")
    return left


def _matches(number: int) -> str:
    return "1 match was" if number == 1 else f"{number:,} matches were"


def undo_replacement(replacement: Replacement, *, by: User) -> Outcome:
    """Put back the words that `replacement` replaced, as new versions, and keep what was typed since.

    Places that changed since stay as they are and are named. Raises Refused if it was undone before.
    """
    outcome = Outcome(replacement)
    with Project.objects.held(replacement.project_id):
        current = Replacement.objects.select_for_update().get(pk=replacement.pk)
        if current.undone_at:
            raise Refused("This replacement was undone already.", code="undone", status=409)
        for text in current.texts.select_related("version").order_by("version__section__number", "pk"):
            section = Section.everything.select_for_update().get(pk=text.version.section_id)
            latex, changed = undo_edits(text.version.latex, text.edits, section.latex)
            if changed:
                outcome.left.append(f"{section}: {_matches(changed)} changed since, and not undone.")
            if latex == section.latex:
                continue
            outcome.sections.append(_save(section, latex, SectionVersion.Kind.RESTORED, by))
            outcome.number += len(text.edits) - changed
        current.undone_at = timezone.now()
        current.save(update_fields=["undone_at"])
    replacement.undone_at = current.undone_at
    return outcome


def recent_replacements(project: Project, most: int = 5) -> list[Replacement]:
    """Return the last replacements in `project` that can be undone, each with the number of its `places`."""
    rows = project.replacements.filter(undone_at=None).select_related("made_by").prefetch_related("texts")[:most]
    for row in rows:
        texts = list(row.texts.all())
        row.places, row.sections = sum(len(text.edits) for text in texts), len(texts)  # type: ignore[attr-defined]
    return list(rows)
