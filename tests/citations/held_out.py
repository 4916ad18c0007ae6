"""References made of real works by chance:
fabricated in the categories of the HALLMARK benchmark, or valid ones respelt.

Everything is drawn from a seeded `random.Random`,
so that a set is the same each time and another seed is another set.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Literal, NamedTuple

from citations.identity.normalise import plain
from citations.identity.reference import without_retraction_mark
from citations.identity.title_similarity import likeness
from sources.work import Work
from tests.citations.real_works import entry

Csl = dict[str, Any]
Must = Literal["not A", "named", "A"]
GIVEN = [
    "Tor",
    "Pia",
    "Ana",
    "Wei",
    "Rohan",
    "Ngozi",
    "Iveta",
    "Jun",
    "Laila",
    "Mateus",
    "Xenia",
    "Kwame",
    "Quentin",
    "Yusuf",
    "Zoltan",
    "Ulrike",
    "Odile",
    "Bea",
]
FAMILY = [
    "Okonjo",
    "Petrov",
    "Quandt",
    "Lindqvist",
    "Halvorsen",
    "Ferreira",
    "Nakagawa",
    "Zielinski",
    "Osei",
    "Vantongeren",
    "Abdelrahman",
    "Iyer",
    "Moss",
    "Qureshi",
    "Xu",
    "Tanaka",
    "Bianchi",
    "Castellanos",
    "Duarte",
    "Eriksson",
    "Fitzgerald",
    "Gunawardena",
]
VENUES = ["Annals of Ventilated Medicine", "Nature Medicine", "Journal of Applied Alder Science", "PLoS ONE", "Chest"]
TOPICS = ["alder pollen", "adaptive ventilation", "zinc lozenges", "remote monitoring", "sepsis bundles", "gut flora"]
FORMS = ["a cohort study of {}", "{} in intensive care", "Effects of {} on survival", "The future of {}"]
ACCENTS = {"á": r"{\'a}", "é": r"{\'e}", "í": r"{\'i}", "ú": r"{\'u}", "ñ": r"{\~n}", "ç": r"{\c{c}}", "ć": r"{\'c}"}
ACCENTS |= {"è": r"{\`e}", "ö": r"{\"o}", "ë": r"{\"e}", "ü": r"{\"u}", "ø": r"{\o}", "æ": r"{\ae}", "ó": r"{\'o}"}
UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "ß": "ss"}


class MadeReference(NamedTuple):
    """A reference and what must come of it. "named": tier A only where the row of `field` says that it differs."""

    category: str
    csl: Csl
    meant: Work
    must: Must
    field: str = ""


def invented_name(dice: Random) -> dict[str, str]:
    return {"family": dice.choice(FAMILY), "given": dice.choice(GIVEN)}


def fabricated(meant: Work, works: Sequence[Work], dice: Random) -> Iterator[MadeReference]:
    """One reference of each category, with the identifiers of `meant`, or sometimes with one or none."""
    others = [one for one in works if not likeness(meant.title, one.title).is_same and not _shares(meant, one)]

    def made(category: str, must: Must = "not A", field: str = "", **changed: Any) -> MadeReference:
        csl = entry(meant, **changed)
        if category not in _OF_IDENTIFIERS:
            for name in dice.choice([(), (), ("PMID",), ("DOI", "URL"), ("DOI", "PMID", "URL")]):
                csl.pop(name, None)
        return MadeReference(category, csl, meant, must, field)

    other, third = dice.sample(others, 2)
    yield from _with_strangers(meant, dice, made)
    yield from _mixed(meant, other, third, dice, made)
    yield from _misplaced(meant, other, dice, made)
    yield from _with_a_difference(meant, dice, made)


def _with_strangers(meant: Work, dice: Random, made: Callable[..., MadeReference]) -> Iterator[MadeReference]:
    """Authors that nobody knows."""
    people, stranger = list(meant.csl().get("author", [])), invented_name(dice)
    place = dice.randrange(len(people) + 1)
    yield made("invented author put in", author=[*people[:place], stranger, *people[place:]])
    yield made("invented author at the end", author=[*people, stranger])
    yield made("all authors invented", author=[invented_name(dice) for _ in range(dice.randint(1, 6))])
    at = dice.randrange(len(people))
    yield made("author replaced", author=[*people[:at], stranger, *people[at + 1 :]])
    if given := people[at].get("given"):
        initials = {part[0] for part in re.findall(r"\w+", given)}
        name = next(one for one in dice.sample(GIVEN, len(GIVEN)) if one[0] not in initials)
        yield made("given name replaced", author=[*people[:at], {**people[at], "given": name}, *people[at + 1 :]])
    yield made("hybrid fabrication", title=f"Improved {meant.title}", author=[stranger, *people[1:]])
    yield made("plausible fabrication", title=_invented_title(dice), author=[stranger, invented_name(dice)], DOI=None)


def _mixed(
    meant: Work, other: Work, third: Work, dice: Random, made: Callable[..., MadeReference]
) -> Iterator[MadeReference]:
    """Authors and titles of several works, or a title that is not quite one."""
    people, theirs = meant.csl().get("author", []), other.csl().get("author", [])
    if borrowed := [one for one in theirs if one not in people]:
        yield made("author of another work", author=[*people, dice.choice(borrowed)])
        yield made("swapped authors", author=theirs)
        venue = {"container-title": third.venue}
        yield made("merged citation", author=theirs, issued=third.csl().get("issued"), **venue)
    left, right = meant.title.split(), other.title.split()
    for title in (other.title, " ".join(left[: len(left) // 2] + right[len(right) // 2 :])):
        if not likeness(meant.title, title).is_same:
            yield made("chimeric title", title=title)
    if near := _near_miss(meant.title, dice):
        yield made("near-miss title", title=near)
    yield made("invented title", title=_invented_title(dice))


def _misplaced(meant: Work, other: Work, dice: Random, made: Callable[..., MadeReference]) -> Iterator[MadeReference]:
    """Identifiers, a year or a place that are another's."""
    yield made("invented DOI", DOI=f"10.{dice.randint(60000, 99999)}/x.{dice.randint(1, 9999)}", PMID=None, URL=None)
    yield made("DOI of another work", DOI=other.doi, URL=None)
    if other.pmid:
        yield made("PMID of another work", PMID=other.pmid)
    far = (meant.year or 2000) + dice.choice([-9, -4, -3, 3, 4, 9])
    yield made("year far off", issued={"date-parts": [[far]]})
    if meant.volume and meant.pages:
        first = dice.randint(40_000, 90_000)
        yield made("volume and pages of another", volume=str(dice.randint(900, 999)), page=f"{first}-{first + 9}")
    preprint = {"container-title": "arXiv preprint arXiv:2104.01234"}
    yield made("preprint of an article", volume=None, page=None, **preprint)


def _with_a_difference(meant: Work, dice: Random, made: Callable[..., MadeReference]) -> Iterator[MadeReference]:
    """The right work with something wrong that may pass, if it is named."""
    people = meant.csl().get("author", [])
    venue = dice.choice([one for one in VENUES if one != meant.venue])
    if meant.venue:
        yield made("wrong venue", "named", "venue", **{"container-title": venue})
    near = (meant.year or 2000) + dice.choice([-1, 1])
    yield made("year one off", "named", "year", issued={"date-parts": [[near]]})
    if meant.volume:
        yield made("wrong volume", "named", "volume", volume=str(dice.randint(900, 999)))
    if meant.pages and "-" in meant.pages:
        first, last = meant.pages.split("-", 1)
        yield made("wrong pages", "named", "pages", page="40001-40009")
        yield made("wrong last page", "named", "pages", page=f"{first}-{int(re.sub(r'[^0-9]', '', last)) + 11}")
    if ": " in meant.title:
        yield made("subtitle left out", "named", "title", title=meant.title.split(": ")[0])
    yield made(
        "wrong type", "named", "type", type="paper-conference" if meant.type != "paper-conference" else "chapter"
    )
    if len(people) > 2:
        yield made("authors left out", "named", "authors", author=people[: dice.randint(1, len(people) - 1)])
        yield made("later authors in another order", "named", "authors", author=[people[0], *reversed(people[1:])])


def _shares(one: Work, other: Work) -> bool:
    first, second = ({plain(person.family or person.literal or "") for person in work.authors} for work in (one, other))
    return bool(first & second)


def _near_miss(title: str, dice: Random) -> str:
    words = title.split()
    for _ in range(20):
        at = dice.randrange(len(words))
        put = dice.choice([[], ["Adaptive"], ["novel", words[at]], ["non" + words[at]], [words[at] + "s"]])
        changed = " ".join([*words[:at], *put, *words[at + 1 :]])
        alike = likeness(without_retraction_mark(title), without_retraction_mark(changed))
        if not alike.is_same and alike.how != "spelling":
            return changed
    return ""


def _invented_title(dice: Random) -> str:
    return dice.choice(FORMS).format(f"{dice.choice(TOPICS)} and {dice.choice(TOPICS)}")


_OF_IDENTIFIERS = {"invented DOI", "DOI of another work", "PMID of another work", "plausible fabrication"}


def _each_name(one: Work, spell: Callable[[Csl], Csl]) -> list[Csl]:
    return [spell(name) for name in one.csl().get("author", [])]


def _initials(name: Csl) -> Csl:
    letters = re.findall(r"\b\w", name.get("given", ""))
    return {**name, "given": " ".join(f"{letter}." for letter in letters)} if letters else name


def _run_together(name: Csl) -> Csl:
    letters = re.findall(r"\b[A-Z]", name.get("given", ""))[:4]
    return {**name, "given": "".join(letters)} if letters else name


def _first_initial(name: Csl) -> Csl:
    return {**name, "given": f"{name['given'][0]}."} if name.get("given") else name


def _respelt(text: str, letters: dict[str, str]) -> str:
    return "".join(letters.get(letter, letter) for letter in text)


def _stripped(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def _respelled_entry(one: Work, spell: Callable[[str], str]) -> Csl:
    return entry(
        one, title=spell(one.title), author=_each_name(one, lambda name: {k: spell(v) for k, v in name.items()})
    )


def _short_pages(one: Work) -> str | None:
    first, _, last = (one.pages or "").partition("-")
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return f"{first}-{last[same:]}" if last and len(first) == len(last) else one.pages


def short_venue(venue: str | None) -> str | None:
    """A journal as indexes abbreviate it: "J Am Stat Assoc"."""
    if not venue or len(venue.split()) < 2:
        return venue
    words = [
        word for word in re.sub(r"[^\w ]", " ", venue).split() if word.lower() not in {"of", "the", "and", "in", "for"}
    ]
    return " ".join("J" if word == "Journal" else word[:5] if len(word) > 6 else word for word in words)


# Spellings in which nothing differs: no row may say that anything does.
SAME: dict[str, Callable[[Work, Random], Csl]] = {
    "as it is": lambda one, dice: entry(one),
    "initials": lambda one, dice: entry(one, author=_each_name(one, _initials)),
    "initials run together": lambda one, dice: entry(one, author=_each_name(one, _run_together)),
    "one initial": lambda one, dice: entry(one, author=_each_name(one, _first_initial)),
    "no given names": lambda one, dice: entry(
        one, author=_each_name(one, lambda name: {"family": name["family"]} if "family" in name else name)
    ),
    "and others": lambda one, dice: entry(
        one, author=one.csl().get("author", [])[: dice.randint(1, 4)], custom={"others": True}
    ),
    "et al.": lambda one, dice: entry(one, author=[*one.csl().get("author", [])[:3], {"family": "et al."}]),
    "no accents": lambda one, dice: _respelled_entry(one, _stripped),
    "umlauts written out": lambda one, dice: _respelled_entry(one, lambda text: _respelt(text, UMLAUTS)),
    "LaTeX accents": lambda one, dice: _respelled_entry(one, lambda text: _respelt(text, ACCENTS)),
    "capitals": lambda one, dice: entry(one, title=re.sub("<[^>]*>", "", one.title).upper()),
    "small letters": lambda one, dice: entry(one, title=one.title.lower()),
    "full stop": lambda one, dice: entry(one, title=f"{one.title}."),
    "short venue": lambda one, dice: entry(one, **{"container-title": short_venue(one.venue)}),
    "no venue": lambda one, dice: entry(one, **{"container-title": None}),
    "no volume and pages": lambda one, dice: entry(one, volume=None, page=None),
    "en dash": lambda one, dice: entry(one, page=(one.pages or "").replace("-", "–") or None),
    "two hyphens": lambda one, dice: entry(one, page=(one.pages or "").replace("-", "--") or None),
    "short pages": lambda one, dice: entry(one, page=_short_pages(one)),
    "PMID alone": lambda one, dice: entry(one, DOI=None, URL=None),
    "DOI alone": lambda one, dice: entry(one, PMID=None),
    "an address for a DOI": lambda one, dice: entry(one, DOI=None, PMID=None, URL=f"https://dx.doi.org/{one.doi}"),
    "no identifier": lambda one, dice: entry(one, DOI=None, PMID=None, URL=None),
    "names turned": lambda one, dice: entry(
        one,
        author=_each_name(
            one, lambda n: {"family": n["given"], "given": n["family"]} if len(n.get("given", "")) > 3 else n
        ),
    ),
    "no kind": lambda one, dice: entry(one, type="document"),
}
# Valid as well; what differs is named.
DIFFERING: dict[str, Callable[[Work, Random], Csl]] = {
    "a year early": lambda one, dice: entry(one, issued={"date-parts": [[(one.year or 0) - 1]]}),
    "a year late": lambda one, dice: entry(one, issued={"date-parts": [[(one.year or 0) + 1]]}),
    "no subtitle": lambda one, dice: entry(one, title=re.sub(r"^RETRACTED: ", "", one.title).split(": ")[0]),
    "another kind": lambda one, dice: entry(one, type="paper-conference"),
    "fewer authors": lambda one, dice: entry(one, author=one.csl().get("author", [])[: dice.randint(1, 5)]),
}
