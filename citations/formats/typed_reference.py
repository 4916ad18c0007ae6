"""Reading a typed reference, in Vancouver, APA, Harvard, Chicago or IEEE style, as the work that it claims (SPEC C5).

Only what is plain is read: a value that cannot be told is left out, and the look-up then finds less. Nothing is proven
by this; the registries are asked for the claim as for any other entry.
"""

import re
from typing import Any

from citations.formats.reading import Csl
from citations.pasted_text import find_identifier
from text.combining_marks import COMBINING

_LONGEST = 2_000  # characters of an entry that are read
_INITIALS = rf"(?:[^\W\d_a-zß-ÿ][{COMBINING}]*\.?[ -]?){{1,4}}"
_PARTICLE = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|el|al|bin|ter|zu|zum|ten|['’‘`]t)[ ])*"
_NAME = rf"{_PARTICLE}[^\W\d_a-zß-ÿ][\w'’.{COMBINING}-]*+(?: [^\W\d_a-zß-ÿ][\w'’{COMBINING}-]++)?"
_ET_AL = re.compile(
    r",?\s*(?:\bet\.? al\b\.?|\bu\.\s?a\.|\band others\b|\by otros\b|\bи др\.|\bта ін\.|आदि|…|\.\.\.)", re.IGNORECASE
)
_YEAR = r"(1[5-9]\d\d|20\d\d)([a-z])?"
_YEAR_IN_BRACKETS = re.compile(rf"[(\[]\s*{_YEAR}(?:,[^()]*)?\s*[)\]]\.?,?:?\s*")
_YEAR_AFTER_NAMES = re.compile(rf"(?<=[.,])\s+{_YEAR}\.\s+")
_ANY_YEAR = re.compile(rf"(?<![\w/.-]){_YEAR}(?![\d/])")
# In single marks, a mark with a stop on either side ends the title before any other: "the patients’ view’, Journal".
# LaTeX has ` for the first. The mark of "van ’t Veer" begins no title.
_SINGLE = r"(?<!\w)[‘'`](?![a-z]\b)"
_QUOTED = re.compile(
    r"[“„\"«]\s?([^“”„\"«»]{8,400}?)[,.]?\s?[”“\"»]"
    rf"|{_SINGLE}([^‘`]{{8,400}}?)(?:[,.?!][’'](?!\w)|[’'](?=\s*[,.;:(]))|{_SINGLE}([^‘`]{{8,400}}?)[’'](?!\w)"
)
_ADDRESS = re.compile(
    r"\s*(?:https?://|www\.)\S+|\s*\b(?:doi|pmid|pmcid|isbn(?:-1[03])?)\b[:\s]*[\w./()<>;:-]+", re.IGNORECASE
)
_BARE_DOI = re.compile(r"\s*10\.\d{4,9}/\S+")
_DATE = r"(?:1[5-9]|20)\d\d(?: \w{3,9}(?: \d{1,2})?)?\s*;"  # 2020 Mar 4; and then the volume
_VOLUME = re.compile(
    rf"(?:\bvol\.?\s*|[,;]\s*|\s)(?!{_DATE})(?P<volume>\d{{1,4}})\s*"
    r"(?:\((?P<issue>[\w–-]{1,12})\)|,\s*no\.\s*(?P<number>\d+))?"
    r"\s*[,:;.]?\s*(?:\(?[^\W\d]*\.?\s*\d{0,4}\)?,?\s*)?(?:pp?\.|S\.|:|,)\s*"
    r"(?P<page>[A-Za-z]?\d+(?:\s*[-–]+\s*[A-Za-z]?\d+)?)"
)
_END = re.compile(
    r"\s+//\s+|।\s*|(?<=[^\W\d_]{2})[.?!]\s+|(?<=[\d)»”\"'])[.]\s+|(?<=[^\W\d_])[?!]\s+"
    rf"|(?<=[{COMBINING}])[.?!]\s+"
)
_BOOK = re.compile(
    r"\b(?:Press|Verlag|Publish\w*|Books?|Springer|Elsevier|Wiley|\d+(?:st|nd|rd|th) ed|Auflage)\b", re.IGNORECASE
)
_PERSON = rf"{_NAME} (?>(?:[^\W\d_a-zß-ÿ][{COMBINING}]*\.[ ]?){{1,3}}|[^\W\d_a-zß-ÿ]{{1,4}})"
_GROUP = r"[^\W\d_a-zß-ÿ][^,.;:?]{8,150},\s*"  # before the persons: "The Writing Committee for ..., Angus DC"
_PART = re.compile(r"(?:[IVX]{1,4}|Part \w{1,5})\.\s+")  # of a work in parts, after its title
_VANCOUVER = re.compile(
    rf"((?:{_GROUP})?(?:(?>{_PERSON})[,;]\s*)*+{_PERSON})(?:\.\s+|(?<=\.\s))|(.{{3,400}}?\bet al)\.?\s+"
)


def csl_of_typed(text: str) -> Csl:
    """Return the work that a typed reference, without its number, claims."""
    text = " ".join(text.split())[:_LONGEST]
    csl: dict[str, Any] = {"type": "document", **_identifier(text)}
    bare = _BARE_DOI.sub("", _ADDRESS.sub("", text)).strip(" .;,")
    names, title, rest, year = _parts(bare)
    if year or (found := list(_ANY_YEAR.finditer(rest or bare))) and (year := found[-1][1]):
        csl["issued"] = {"date-parts": [[int(year)]]}
    people, others = people_in(names)
    if people:
        csl["author"] = people
    if others:
        csl["custom"] = {"others": True}
    title = title.strip(" .,;:/।“”\"'")
    if len(re.findall(r"[^\W\d_]", title)) >= (3 if people else 8):
        csl["title"] = title
        _add_place(csl, rest.strip())
    elif not any(csl.get(name) for name in ("DOI", "PMID", "PMCID", "ISBN")):
        csl.pop("author", None)
        csl["title"] = bare[:500]  # all of it: what a person sees where nothing could be told apart
    return csl


def people_in(names: str) -> tuple[list[dict[str, str]], bool]:
    """Return the authors in a list of names, and whether it says that there are more."""
    others = bool(_ET_AL.search(names))
    names = _ET_AL.sub("", names).strip(" .,;:&(")
    names = re.sub(r"\s*\((?:eds?|Hrsg|Hg)\.?\)?\s*$", "", names, flags=re.IGNORECASE)
    parts = [
        part.strip()
        for part in re.split(r"[,;]?\s+(?:and|und|et|y|&|и|та|और|तथा|एवं)\s+|[,;]\s*|&\s*", names)
        if part.strip()
    ]
    people: list[dict[str, str]] = []
    for number, part in enumerate(parts):
        last = people[-1] if people else {}
        is_family = set(last) == {"family"}
        if is_family and (re.fullmatch(_INITIALS, part) or (number == 1 and re.fullmatch(r"[\w.'’ -]{2,40}", part))):
            last["given"] = part
        elif re.fullmatch(_INITIALS, part) and not re.fullmatch(_INITIALS, last.get("given", "A")):
            last |= {"family": f"{last['given']} {last['family']}", "given": part}  # a family name of two words
        elif found := re.fullmatch(rf"({_NAME}) ({_INITIALS})", part):
            people.append({"family": found[1], "given": found[2].strip()})
        elif found := re.fullmatch(rf"({_INITIALS})(?<=[. ])({_NAME})", part):
            people.append({"family": found[2], "given": found[1].strip()})
        elif (part[0].islower() or part[0] in "'’‘`") and re.fullmatch(_NAME, part):
            people.append({"family": part})
        elif len(part.split()) > 2:
            people.append({"literal": part})
        elif " " in part:
            given, _, family = part.rpartition(" ")
            people.append({"family": family, "given": given})
        else:
            people.append({"family": part})
    return people[:100], others


def _identifier(text: str) -> Csl:
    found = find_identifier(text)
    names = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN"}
    if found is None:
        address = re.search(r"https?://[^\s<>\"“”]{3,1000}", text)
        return {"URL": address[0].rstrip(".,;)")} if address else {}
    if found.kind == "arxiv":
        eprint = {"eprint": found.value, "archiveprefix": "arXiv"}
        return {"URL": f"https://arxiv.org/abs/{found.value}", "custom": {"bibtex": eprint}}
    return {names[found.kind]: found.value}


def _parts(text: str) -> tuple[str, str, str, str]:
    """Return the authors, the title, the rest, and the year where its place tells it; "" for what is not plain."""
    quoted = _QUOTED.search(text, 3)
    if quoted:
        names, rest = text[: quoted.start()], text[quoted.end() :]
        year = _ANY_YEAR.search(names)
        names = names[: year.start()] if year else names
        return names.strip(" (["), quoted[1] or quoted[2] or quoted[3], rest, year[1] if year else ""
    for pattern in (_YEAR_IN_BRACKETS, _YEAR_AFTER_NAMES):
        year = pattern.search(text, 2, 600)
        if year and _is_names(text[: year.start()]):
            title, rest = _first_sentence(text[year.end() :])
            return text[: year.start()], title, rest, year[1]
    if found := _VANCOUVER.match(text):
        title, rest = _first_sentence(text[found.end() :])
        return found[1] or found[2], title, rest, ""
    names, others = _first_sentence(text)
    title, rest = _first_sentence(others)
    return (names, title, rest, "") if others and _is_names(names) else ("", "", "", "")


def _is_names(text: str) -> bool:
    """Return whether the words before a year or a full stop are names: few words, none of them a common one."""
    words = re.findall(rf"(?:[^\W\d_][{COMBINING}]*){{2,}}", text)
    small = [
        word
        for word in words
        if word[0].islower() and word not in ("et", "al", "and", "und", "van", "von", "de", "der")
    ]
    return bool(words) and len(text) < 600 and 3 * len(small) <= len(words)


def _first_sentence(text: str) -> tuple[str, str]:
    end = _END.search(text)
    if end and end[0][0] in "?!":
        # "Does it help? A trial. Lancet. 2020": the title goes on where two more parts come before the year.
        year = _ANY_YEAR.search(text, end.end())
        more = list(_END.finditer(text, end.end(), year.start() if year else len(text)))
        end = more[0] if len(more) > 1 else end
    if end and (part := _PART.match(text, end.end())):
        return text[: part.end()], text[part.end() :]
    return (text[: end.end()], text[end.end() :]) if end else (text, "")


def _add_place(csl: dict[str, Any], rest: str) -> None:
    """Add journal, volume, issue and pages, or the publisher of a book, from the words after the title."""
    found = _VOLUME.search(rest)
    if found is None:
        if _BOOK.search(rest) or csl.get("ISBN"):
            csl["type"] = "book"
        return
    journal = _ANY_YEAR.split(rest[: found.start()])[0]
    journal = re.sub(r"^(?:In:?\s+)", "", journal).strip(" ,.;:(")
    if 1 < len(journal) < 200:
        csl |= {"type": "article-journal", "container-title": journal}
    csl["page"] = re.sub(r"\s*[-–]+\s*", "-", found["page"])
    csl |= {
        name: value
        for name, value in (("volume", found["volume"]), ("issue", found["issue"] or found["number"]))
        if value
    }
