r"""references.bib: the works that the text cites, in ASCII, which every BibTeX and every TeX accepts (SPEC T5, C3)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from citations.formats.bibtex import write_bibtex
from citations.formats.reading import Entry, decode, text_of, under_all_keys
from citations.key_aliases import ReferenceLookup, entries_with_keys
from latex.printable_characters import SYMBOLS, accented
from thesis.manuscript import Manuscript, Work

TIER_D = "D"
LEFT_OUT = "[...]"  # in place of characters that LaTeX cannot print

# Fields of an imported entry that are dropped: references to other entries, which may be missing, and unprinted fields
_NOT_PRINTED = frozenset(
    ["abstract", "annote", "crossref", "xref", "xdata", "entryset", "related", "relatedtype", "ids", "file", "doi"]
    + ["timestamp", "owner", "url", "note"]
)
_LETTERS = {
    "ß": r"\ss", "ø": r"\o", "Ø": r"\O", "æ": r"\ae", "Æ": r"\AE", "œ": r"\oe", "Œ": r"\OE", "ł": r"\l", "Ł": r"\L",
    "ı": r"\i", "ȷ": r"\j", "đ": r"\dj", "Đ": r"\DJ", "ð": r"\dh", "Ð": r"\DH", "þ": r"\th", "Þ": r"\TH",
    "ŋ": r"\ng", "Ŋ": r"\NG",
}  # fmt: skip
_SIGNS = {
    "\u00a0": "~", "\u2010": "-", "\u2011": "-", "\u2012": "--", "\u2013": "--", "\u2014": "---", "\u2015": "---",
    "\u2018": "`", "\u2019": "'", "\u201a": ",", "\u201c": "``", "\u201d": "''", "\u201e": ",,",
    "\u2039": "<", "\u203a": ">",
    "\u00ab": "<<", "\u00bb": ">>", "\u2026": r"\ldots{}", "\u00ad": r"\-", "\u2020": r"\dag{}",
    "\u2021": r"\ddag{}",
    "\u00a7": r"\S{}", "\u00b6": r"\P{}", "\u00a9": r"\copyright{}", "\u00ae": r"\textregistered{}",
    "\u2122": r"\texttrademark{}", "\u2022": r"\textbullet{}", "\u2030": r"\textperthousand{}",
    "\u20ac": r"\texteuro{}", "\u00a3": r"\pounds{}", "\u00bf": "?`", "\u00a1": "!`",
    "\u00aa": r"\textordfeminine{}", "\u00ba": r"\textordmasculine{}",
    "\u00bd": r"\ensuremath{\frac{1}{2}}", "\u00bc": r"\ensuremath{\frac{1}{4}}",
    "\u00be": r"\ensuremath{\frac{3}{4}}", "\u00b4": "'", "\u00a8": r"\textasciidieresis{}",
    "\u00af": r"\textasciimacron{}", "\u00b8": ",", "\u00a5": r"\textyen{}",
    "\u00a2": r"\textcent{}", "\u00a4": r"\textcurrency{}", "\u00a6": r"\textbrokenbar{}",
}  # fmt: skip
_TAKEN = re.compile(r"[A-Za-z0-9!*+./:;<>?@|\[\]_-]+")  # keys that BibTeX, biber and \cite accept
_ODD = re.compile(r"[^\x00-\x7f]+")


class References(NamedTuple):
    """The works a text cites. `by_key` has those that are printed, in the order of citation.

    `withheld` are the keys of tier D; `same` maps a key to another key of the same work, which replaces it; `elsewhere`
    are the keys that only a trailer or an imported file defines.
    """

    by_key: dict[str, Work]
    withheld: set[str]
    same: dict[str, str]
    elsewhere: list[str]


def references_of(
    manuscript: Manuscript, cited: Iterable[str], everything: bool, entries: Iterable[Entry], *, strip: bool
) -> References:
    r"""Return the works for the keys `cited`; with `everything` (\nocite{*}) all works of the thesis.

    The citations of the thesis take precedence over `entries` of trailers, and these over imported files.
    """
    table = {work.key: work for work in manuscript.works}
    wanted = dict.fromkeys([*cited, *(table if everything else ())])
    withheld = {key for key, work in table.items() if strip and work.tier == TIER_D}
    others = manuscript.other_keys
    same = {key: others[key] for key in wanted if key not in table and others.get(key) in table}
    found = {key: table[key] for key in [*wanted, *same.values()] if key in table}
    known: ReferenceLookup | None = None

    def add(entry: Entry) -> None:
        nonlocal known
        key = entry.key
        if key in table or key in found or key in same or key not in wanted:
            return
        known = known or ReferenceLookup((work.key, work.csl, work.tier) for work in manuscript.works)
        if other := known.key_of(entry.csl):
            same[key] = other
            if other in table:
                found.setdefault(other, table[other])
            return
        found[key] = Work(key, entry.csl)
        known.add(key, entry.csl)

    for entry in entries:
        for one in under_all_keys(entry):
            add(one)
    if lost := {key for key in wanted if key not in found and key not in same}:
        for entry in _imported_entries(manuscript, lost):
            add(entry)
    order = dict.fromkeys(same.get(key, key) for key in wanted)
    printed = {key: found[key] for key in order if key in found and key not in withheld}
    return References(printed, withheld, same, elsewhere=[key for key in found if key not in table])


def _imported_entries(manuscript: Manuscript, keys: set[str]) -> Iterable[Entry]:
    """Return the entries for `keys` in the .bib files that were imported with the thesis."""
    for file in manuscript.files:
        if not file.path.lower().endswith(".bib"):
            continue
        try:
            text = decode(file.read())
        except OSError:
            continue
        yield from entries_with_keys(text, keys)


def as_bib(works: Iterable[tuple[str, Work]], *, labelled: bool, vancouver: bool = False) -> tuple[str, list[str]]:
    """Return the text of references.bib, and notes on characters left out. `works`: each with the key it is cited by.

    `labelled`: a work without author or year gets a substitute, for a style that cites by them. `vancouver`: for
    vancouver.bst.
    """
    notes: list[str] = []
    written = []
    for key, work in works:
        printed = _printed(work.csl)
        entry = _for_vancouver(printed, key) if vancouver else write_bibtex(printed, key, reference_manager=False)
        text, odd = in_ascii(entry)
        if odd:
            notes.append(
                f"The reference {key} has characters that LaTeX cannot print ({odd[:40]}). "
                f"They were replaced by {LEFT_OUT}."
            )
        written.append(_with_label(text) if labelled else text)
    return "\n".join(written), notes


def _printed(csl: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a work that are printed: without DOI (SPEC C3) and references to other entries."""
    kept = {
        name: value
        for name, value in csl.items()
        if name not in ("DOI", "PMID", "PMCID", "note", "abstract", "keyword")
    }
    if url := text_of(csl.get("URL")):
        kept["URL"] = quote(url, safe="%/:=&?~#+!$,;'@()*[]_-.")
    custom = csl.get("custom")
    if isinstance(custom, dict) and isinstance(custom.get("bibtex"), dict):
        fields = {name: value for name, value in custom["bibtex"].items() if name.lower() not in _NOT_PRINTED}
        kept["custom"] = {**custom, "bibtex": fields}
    return kept


def _for_vancouver(csl: dict[str, Any], key: str) -> str:
    """Return the entry of a work for vancouver.bst, which fails on theses, and on articles without a journal.

    A thesis is printed as ICMJE recommends: "Title [dissertation]. Bergen: Central University; 2020."
    """
    if csl.get("type") == "thesis":
        title = f"{text_of(csl.get('title'))} [{text_of(csl.get('genre')) or 'dissertation'}]".strip()
        csl = {**csl, "type": "book", "title": title}
    entry = write_bibtex(csl, key, reference_manager=False)
    if entry.startswith("@article{") and not re.search(r"^  journal = ", entry, re.MULTILINE):
        return entry.replace("@article{", "@misc{", 1)
    return entry


def _with_label(entry: str) -> str:
    added = ""
    if not re.search(r"^  (?:author|editor|key) = ", entry, re.MULTILINE) and (
        title := re.search(r"^  title = \{(.*)\},$", entry, re.M)
    ):
        added += f"  key = {{{title[1]}}},\n"
    if not re.search(r"^  (?:year|date) = ", entry, re.MULTILINE):
        added += "  year = {n.d.},\n"
    head, line, rest = entry.partition("\n")
    return f"{head}{line}{added}{rest}"


def in_ascii(text: str) -> tuple[str, str]:
    r"""Return the LaTeX `text` with commands in place of characters beyond ASCII, and the characters that have none.

    BibTeX counts bytes: of "Åsa" it would take half the first letter as an initial. {\r{A}} counts as one letter.
    """
    if text.isascii():
        return text, ""
    odd: list[str] = []

    def written(found: "re.Match[str]") -> str:
        made = ""
        for letter in found[0]:
            known = _command(letter)
            if known is None:
                odd.append(letter)
                made += "" if made.endswith(LEFT_OUT) else LEFT_OUT
            else:
                made += known
        return made

    return _ODD.sub(written, unicodedata.normalize("NFC", text)), "".join(odd)


def _command(letter: str) -> str | None:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _LETTERS:
        return f"{{{_LETTERS[letter]}}}"
    if made := accented(letter):
        return f"{{{made}}}"
    if (symbol := SYMBOLS.get(ord(letter))) is not None:
        return f"{{{symbol}}}" if symbol else ""
    if unicodedata.category(letter) in ("Mn", "Cf", "Cc"):
        return ""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", letter) if sign.isascii())
    return plain if plain.isalnum() else None


# BibTeX rejects two keys that differ only in case


def renamed(keys: Iterable[str], defined: Iterable[str]) -> dict[str, str]:
    """Return new names for those of `keys` (in the order of citation) that must change, by their old names.

    When two keys conflict, one that is `defined` keeps its name before one that is not.
    """
    cited = list(dict.fromkeys(keys))
    known = set(defined)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(cited, key=lambda one: (one not in known, not _TAKEN.fullmatch(one))):
        plain = key if _TAKEN.fullmatch(key) else _plain(key)
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        if name != key:
            names[key] = name
    return names


def _plain(key: str) -> str:
    letters = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.:_-]+", "-", letters).strip("-") or "key"
