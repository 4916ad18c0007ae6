"""Entries of real works as people write them: nearly all are proven (SPEC C2)."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from citations.formats.bibtex import read_bibtex
from latex.bibtex_unicode import to_latex
from sources.work import Work
from tests.citations.real_works import WORKS, entry, verdict_on

Csl = dict[str, Any]
ENOUGH = 0.95  # of all variants (identity-gate.md)
UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "ß": "ss"}
ACCENTS = {"á": r"{\'a}", "é": r"{\'e}", "í": r"{\'i}", "ú": r"{\'u}", "ñ": r"{\~n}", "ç": r"{\c{c}}", "ć": r"{\'c}"}
ACCENTS |= {"è": r"{\`e}", "ö": r"{\"o}", "ë": r"{\"e}", "ø": r"{\o}", "æ": r"{\ae}"}
JOURNALS = {
    "New England Journal of Medicine": "N Engl J Med",
    "The Lancet Respiratory Medicine": "Lancet Respir Med",
    "Acta Anaesthesiologica Scandinavica": "Acta Anaesthesiol Scand",
    "BMC Medical Research Methodology": "BMC Med Res Methodol",
    "Journal of Statistical Software": "J. Stat. Softw.",
    "The Lancet": "Lancet (London, England)",
    "BMJ": "BMJ (Clinical research ed.)",
    "Controlled Clinical Trials": "Control Clin Trials",
    "Nucleic Acids Research": "Nucleic Acids Res.",
    "Physical Review": "Phys. Rev.",
    "Reviews of Modern Physics": "Rev. Mod. Phys.",
    "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)": "CVPR",
    "Journal of the American Statistical Association": "J. Am. Stat. Assoc.",
}
SHORT = {"rob2", "prospect", "hallmarks"}  # main titles of at most 20 characters
TOLD_BY_SUBTITLE = {"ctd2011", "ctd2013"}
NO_IDENTIFIER = {"DOI": None, "PMID": None, "URL": None}


def people(one: Work, rename: Callable[[dict[str, str]], dict[str, str]]) -> list[dict[str, str]]:
    return [rename(name) for name in one.csl()["author"]]


def plain_letters(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() or text


def written_out(text: str) -> str:
    return "".join(UMLAUTS.get(letter, letter) for letter in text)


def respelt(one: Work, spell: Callable[[str], str]) -> Csl:
    """The entry with every text of title and names spelt by `spell`."""
    renamed = people(one, lambda name: {part: spell(text) for part, text in name.items()})
    return entry(one, title=spell(one.title), author=renamed)


def as_bibtex(one: Work, *, authors: str = "", title: str = "") -> Csl:
    """The entry as it stands in a BibTeX file, with LaTeX accents."""

    def latex(text: str) -> str:
        return "".join(ACCENTS.get(letter, to_latex(letter) if letter != " " else " ") for letter in text)

    names = " and ".join(
        f"{latex(name.family)}, {latex(name.given or '')}" if name.family else f"{{{latex(name.literal or '')}}}"
        for name in one.authors
    )
    fields = {
        "author": authors or names,
        "title": title or f"{{{latex(re.sub('<[^>]*>', '', one.title))}}}",
        "journal": latex(one.venue or ""),
        "year": str(one.year),
        "volume": one.volume or "",
        "pages": (one.pages or "").replace("-", "--"),
        "doi": f"https://doi.org/{one.doi}",
    }
    text = "@article{key,\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value) + "}"
    (read,) = read_bibtex(text).entries
    return read.csl


def first_name_first(one: Work) -> Csl:
    names = " and ".join(
        f"{name.given} {name.family}" if name.family else f"{{{name.literal}}}" for name in one.authors
    )
    return as_bibtex(one, authors=names)


def without_braces(one: Work) -> Csl:
    """Groups as people write them, so that BibTeX takes their last word for a surname."""
    names = " and ".join(f"{name.family}, {name.given}" if name.family else name.literal or "" for name in one.authors)
    return as_bibtex(one, authors=names)


def and_others(one: Work) -> Csl:
    return entry(one, author=one.csl()["author"][:2], custom={"others": True})


def et_al(one: Work) -> Csl:
    return entry(one, author=[*one.csl()["author"][:3], {"family": "et al."}])


def initials(one: Work) -> Csl:
    def short(name: dict[str, str]) -> dict[str, str]:
        letters = re.findall(r"\b\w", name.get("given", ""))
        return {**name, "given": " ".join(f"{letter}." for letter in letters)} if "family" in name else name

    return entry(one, author=people(one, short))


def particles_apart(one: Work) -> Csl:
    def apart(name: dict[str, str]) -> dict[str, str]:
        words = name.get("family", "").split()
        small = [word for word in words[:-1] if word[0].islower() or word[0] == "'"]
        return {**name, "family": words[-1], "non-dropping-particle": " ".join(small)} if small else name

    return entry(one, author=people(one, apart))


def without_particles(one: Work) -> Csl:
    return entry(
        one,
        author=people(one, lambda name: {**name, "family": name["family"].split()[-1]} if "family" in name else name),
    )


def tagged(one: Work) -> Csl:
    first, _, rest = one.title.partition(" ")
    return entry(one, title=f"<i>{first}</i> {rest} <b></b>")


def without_subtitle(one: Work) -> Csl:
    return entry(one, title=re.split(r": ", one.title.replace("RETRACTED: ", ""), maxsplit=1)[0])


def other_marks(one: Work) -> Csl:
    marked = one.title.replace("-", "‐").replace(": ", " - ").replace("'", "’")
    return entry(one, title=f"“{marked}”")


VARIANTS: dict[str, Callable[[Work], Csl]] = {
    "as it is": entry,
    "PMID alone": lambda one: entry(one, DOI=None, URL=None),
    "no identifier": lambda one: entry(one, **NO_IDENTIFIER),
    "no identifier, no pages": lambda one: entry(one, **NO_IDENTIFIER, volume=None, page=None),
    "an address for a DOI": lambda one: entry(one, DOI=None, PMID=None, URL=f"https://doi.org/{one.doi}"),
    "initials": initials,
    "no accents": lambda one: respelt(one, plain_letters),
    "umlauts written out": lambda one: respelt(one, written_out),
    "decomposed": lambda one: respelt(one, lambda text: unicodedata.normalize("NFD", text)),
    "LaTeX": as_bibtex,
    "first names first": first_name_first,
    "groups without braces": without_braces,
    "all capitals": lambda one: respelt(one, lambda text: re.sub("<[^>]*>", "", text).upper()),
    "small letters": lambda one: entry(one, title=one.title.lower()),
    "tags": tagged,
    "no tags": lambda one: entry(one, title=re.sub("<[^>]*>", "", one.title)),
    "entities": lambda one: entry(one, title=one.title.replace(" and ", " &amp; ")),
    "full stop": lambda one: entry(one, title=f"{one.title}."),
    "other marks": other_marks,
    "no hyphens": lambda one: entry(one, title=one.title.replace("-", " ")),
    "no article": lambda one: entry(one, title=re.sub(r"^(The|A) ", "", one.title)),
    "no subtitle": without_subtitle,
    "and others": and_others,
    "et al.": et_al,
    "particles apart": particles_apart,
    "no particles": without_particles,
    "a year early": lambda one: entry(one, issued={"date-parts": [[(one.year or 0) - 1]]}),
    "a year late": lambda one: entry(one, issued={"date-parts": [[(one.year or 0) + 1]]}),
    "in press": lambda one: entry(one, issued={"literal": "in press"}, volume=None, page=None),
    "no venue": lambda one: entry(one, **{"container-title": None}),
    "short venue": lambda one: entry(one, **{"container-title": JOURNALS.get(one.venue or "", one.venue)}),
    "short venue, no identifier": lambda one: entry(
        one, **NO_IDENTIFIER, volume=None, **{"container-title": JOURNALS.get(one.venue or "", one.venue)}
    ),
    "wrong pages": lambda one: entry(one, page="1-2"),
    "American": lambda one: entry(
        one, title=one.title.replace("isation", "ization").replace("ised", "ized").replace("centre", "center")
    ),
    "a letter too many": lambda one: entry(
        one, title=one.title.replace("corticost", "corticcost").replace("ospit", "osppit")
    ),
    "another type": lambda one: entry(one, type="paper-conference"),
    "misc": lambda one: entry(one, type="document"),
}


@pytest.mark.sample(10)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_is_proven(variant: str) -> None:
    left_out = SHORT | TOLD_BY_SUBTITLE if variant == "no subtitle" else set()
    verdicts = {key: verdict_on(VARIANTS[variant](one)) for key, one in WORKS.items() if key not in left_out}
    missed = {key: f"{one.status}: {one.reason}" for key, one in verdicts.items() if one.tier != "A"}
    assert len(missed) <= (1 - ENOUGH) * len(WORKS), missed
    for key, verdict in verdicts.items():
        if verdict.tier == "A":
            assert verdict.work == WORKS[key]
            assert (verdict.evidence_type, verdict.evidence_value) == ("doi", WORKS[key].doi)


def test_what_cannot_be_told_apart_is_not_called_another_work() -> None:
    """Of all variants of all works, none is a conflict and none is not found."""
    for key, one in WORKS.items():
        for variant, spell in VARIANTS.items():
            if variant == "no subtitle" and key in TOLD_BY_SUBTITLE:
                continue
            verdict = verdict_on(spell(one))
            assert verdict.status in {"verified", "review"}, verdict.reason


@pytest.mark.parametrize("key", sorted(SHORT))
def test_a_short_title_without_its_subtitle_is_for_a_person_to_look_at(key: str) -> None:
    verdict = verdict_on(without_subtitle(WORKS[key]))
    assert (verdict.status, verdict.tier, verdict.work) == ("review", None, WORKS[key])


@pytest.mark.parametrize("people", [["Иванов, Иван", "Петрова, Анна"], ["Ivanov, I.", "Petrova, A."]])
def test_cyrillic_and_its_transliteration_are_one_name(people: list[str]) -> None:
    named = [dict(zip(("family", "given"), name.split(", "), strict=True)) for name in people]
    verdict = verdict_on(entry(WORKS["i2"], author=named), [russian()])
    assert verdict.status == "conflict"
    csl = entry(russian(), author=named)
    assert verdict_on(csl, [russian()]).tier == "A"


def russian() -> Work:
    written = WORKS["i2"].model_dump() | {"title": "Влияние дозы на исход лечения", "doi": "10.1000/ru", "pmid": None}
    written["authors"] = [{"family": "Иванов", "given": "И. И."}, {"family": "Петрова", "given": "А."}]
    return Work(**written)
