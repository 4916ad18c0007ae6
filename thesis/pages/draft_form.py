"""What a person asks for: where it goes, what it should say, from which findings and references (SPEC T3)."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from django.http import QueryDict

from sections.models import Section
from thesis.drafting.start import DraftRequest
from thesis.models import Draft
from thesis.pages.choices import named_findings

_FAR = 2_000_000_000  # beyond any text
_QUOTED = 300  # characters of what was chosen that the form shows

# What is asked for, by the word of the form: the draft's kind, its place, and how the form says it.
WAYS: dict[str, tuple[Draft.Kind, Draft.Place, str]] = {
    "end": (Draft.Kind.DRAFT, Draft.Place.END, "New text at the end"),
    "whole": (Draft.Kind.REWRITE, Draft.Place.WHOLE, "The whole section anew"),
    "rewrite": (Draft.Kind.REWRITE, Draft.Place.RANGE, "Rewrite what I chose"),
    "shorten": (Draft.Kind.SHORTEN, Draft.Place.RANGE, "Shorten what I chose"),
    "continue": (Draft.Kind.CONTINUE, Draft.Place.RANGE, "Go on from here"),
}


@dataclass
class Asked:
    """A form as it was filled, or as the page that opened it wants it. `quote` are the words of the text it is about.

    `start` and `end` count code points in version `based_on` of the text; both are 0 where nothing was chosen.
    """

    way: str = "end"
    instructions: str = ""
    findings: list[str] = field(default_factory=list)
    works: list[str] = field(default_factory=list)
    finding_words: str = ""
    work_words: str = ""
    follows: str = ""
    start: int = 0
    end: int = 0
    based_on: int | None = None
    quote: str = ""
    ways: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_filled(self) -> bool:
        """Whether somebody has put anything into it."""
        return bool(self.instructions or self.findings or self.works or self.follows or self.about_place)

    @property
    def about_place(self) -> bool:
        """Whether a place of the text was chosen."""
        return self.based_on is not None

    def request(self, follows: Draft | None, *, only_quotes: bool = False) -> DraftRequest:
        """What is asked for. What names nothing is left out.

        An engine that `only_quotes` rewrites nothing: the whole section is drafted then, and not made of what is there.
        """
        kind, place, _ = WAYS[self.way]
        if only_quotes and self.way == "whole":
            kind = Draft.Kind.DRAFT
        asked = DraftRequest(kind, self.instructions, named_findings(self.findings), self.works, place, follows=follows)
        if place != Draft.Place.RANGE:
            return asked
        start = self.end if self.way == "continue" else self.start
        return replace(asked, start=start, end=self.end, based_on=self.based_on)


def asked_of(sent: QueryDict, section: Section) -> Asked:
    """What a form sent, or an address asks for; whatever cannot be is as if it had not been said."""
    asked = Asked(
        way=sent.get("way", "") if sent.get("way", "") in WAYS else "end",
        instructions=sent.get("instructions", "").replace("\r\n", "\n"),
        findings=sent.getlist("finding"),
        works=sent.getlist("work"),
        finding_words=sent.get("finding_words", "")[:200],
        work_words=sent.get("work_words", "")[:200],
        follows=_uuid(sent.get("follows", "")),
    )
    start, end, based_on = (_number(sent.get(name, "")) for name in ("start", "end", "based_on"))
    if start is not None and end is not None and based_on is not None and start <= end:
        asked.start, asked.end, asked.based_on = start, end, based_on
        asked.quote = section.latex[start : min(end, start + _QUOTED)] if based_on == section.version else ""
    elif WAYS[asked.way][1] == Draft.Place.RANGE:
        asked.way = "end"
    asked.ways = [(way, words) for way, (_, place, words) in WAYS.items() if _fits(asked, section, way, place)]
    return asked


def _fits(asked: Asked, section: Section, way: str, place: str) -> bool:
    """Whether a way of drafting can be offered for this section and what was chosen in it."""
    if place == Draft.Place.RANGE:
        return asked.about_place and (way == "continue") == (asked.start == asked.end)
    return way == "end" or bool(section.latex.strip())


def _number(text: str) -> int | None:
    return min(int(text), _FAR) if text.isdecimal() and len(text) < 12 else None


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        return ""
