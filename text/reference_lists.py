"""Recognising entries of reference lists by their form, in any style and in many languages.

An entry names a work and states nothing (docs/decisions/leads.md). It is recognised by counting typical features:
authors with initials, a volume with pages, an identifier, a year in the position references have it. Everything here
runs in linear time.
"""

import re
from collections.abc import Iterator

MOST = 1_200  # characters; a longer text is a paragraph that names works
CERTAIN = 4  # features from which a text is an entry anywhere
LIKELY = 1  # features from which it is an entry under the heading of a list
PROSE = 12  # words; so many without any feature are running text, also in a list

_HEADINGS = frozenset(
    name.strip()
    for name in [
        "\n    references",
        "reference list",
        "list of references",
        "references cited",
        "cited references",
        "literature",
        "literature cited\n    ",
        "cited literature",
        "bibliography",
        "works cited",
        "sources",
        "selected bibliography",
        "further reading",
        "notes and references\n    ",
        "references and notes",
        "primary sources",
        "secondary sources",
        "literatur",
        "literaturverzeichnis",
        "quellen",
        "quellenverzeichnis\n    ",
        "literatur- und quellenverzeichnis",
        "literaturangaben",
        "schrifttum",
        "bibliographie",
        "bibliografie",
        "références\n    ",
        "références bibliographiques",
        "liste des références",
        "ouvrages cités",
        "sources et bibliographie",
        "referencias\n    ",
        "referencias bibliográficas",
        "bibliografía",
        "lista de referencias",
        "obras citadas",
        "riferimenti",
        "riferimenti bibliografici\n    ",
        "bibliografia",
        "referências",
        "referências bibliográficas",
        "literatuur",
        "literatuurlijst",
        "referenties",
        "bronnen",
        "referenser\n    ",
        "litteratur",
        "litteraturförteckning",
        "källor",
        "referanser",
        "litteraturliste",
        "kilder",
        "referencer",
        "lähteet",
        "kirjallisuus\n    ",
        "literatura",
        "piśmiennictwo",
        "spis literatury",
        "seznam literatury",
        "použitá literatura",
        "zoznam literatúry",
        "irodalom\n    ",
        "irodalomjegyzék",
        "literatūra",
        "viited",
        "bibliografie",
        "kaynaklar",
        "kaynakça",
        "referințe",
        "литература",
        "список литературы\n    ",
        "библиография",
        "использованные источники",
        "список використаних джерел",
        "література",
        "βιβλιογραφία",
        "αναφορές",
        "参考文献",
        "参考文獻\n    ",
        "引用文献",
        "文献",
        "참고문헌",
        "المراجع",
        "المصادر",
        "ביבליוגרפיה",
        "מקורות",
        "संदर्भ",
        "सन्दर्भ",
        "संदर्भ सूची",
        "tài liệu tham khảo",
        "daftar pustaka\n    ",
    ]
)
_NUMBERED = re.compile(
    r"^(?:chapter |kapitel |appendix )?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Z])[.):]?\s+", re.IGNORECASE
)
_OF = re.compile(
    r"\s+(?:of|for|to|zu|zum|du|de la|del)\s+(?:chapter|part|kapitel|chapitre|capítulo)\b.*$", re.IGNORECASE
)

_MARKER = re.compile(r"(?:[\[(]?\d{1,4}[\])]?[.)]?|\[[A-Za-z+]{1,12}\d{2,4}[a-z]?\]|[•*–-])\s+")
_NAMED = re.compile(r"(?:\*\*|__)?(?:source|reference|citation|quelle|fuente|bron)s?\s?:(?:\*\*|__)?\s+", re.IGNORECASE)
_SURNAME = (
    r"(?:(?:[dv]an|[dv]e[nrl]?|von|la|le|el|al|bin|ter|zu|di|da|dos|du)[ -]){0,3}"
    r"[A-ZÀ-ÞŁŚŽŠČ][\w'’-]{1,30}(?: [A-ZÀ-Þ][\w'’-]{1,30})?"
)
_INITIALS = r"(?:[A-ZÀ-Þ]\.?[ -]?){1,4}"
_AUTHORS = re.compile(
    rf"(?:{_SURNAME},? {_INITIALS}(?:[,;.:(&]|and |und |et |y |$)|{_INITIALS}{_SURNAME}(?:,|\.| and | und | et al)"
    rf"|{_SURNAME}, [A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ]\.)*(?:[,;.:(&]| and )|{_SURNAME} et al\.?)"
)
_GROUP = re.compile(
    r"[A-ZÀ-Þ][\w'’ -]{2,80}(?:Group|Collaborat\w+|Consortium|Investigators|Organi[sz]ation|Committee|Network)\b[.,:( ]"
)
# "Smith et al. (2020) saw that" is a sentence about a work, not an entry.
_TOLD = re.compile(
    rf"{_SURNAME}(?: et al\.?| (?:and|und|et|y|&) (?:colleagues|coworkers|{_SURNAME}))?"
    rf",? ?(?:[(\[]?\d{{4}}[a-z]?[)\]]?|\[\d+\])?,? [a-z]{{2}}(?!l\b)"
)
_YEAR = re.compile(
    r"\(\s?(?:1[5-9]|20)\d\d[a-z]?(?:, [A-Z]\w+(?: \d+)?)?\s?\)[.,:]?"
    r"|\b(?:1[5-9]|20)\d\d[a-z]?\s?[.;:]|, (?:1[5-9]|20)\d\d\b"
)
_VOLUME = re.compile(
    r"\b(?:1[5-9]|20)\d\d(?: \w{3,9}(?: \d{1,2})?)?; ?\d+|\b\d{1,4} ?\(\d[\w–-]*\) ?[:,;] ?(?:pp?\. ?)?[eEsS]?\d+"
    r"|\b\d{1,4}: ?[eEsS]?\d+ ?[–-] ?\d+"
    r"|\bpp?\. ?\d+(?: ?[–-] ?\d+)?|\bS\. ?\d+ ?[–-] ?\d+|\bvol\. ?\d+|\bno\. ?\d+, pp?\b|, \d{1,4}, \d+[–-]\d+",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"\bdoi:? ?\S|\b10\.\d{4,9}/|https?://|\bwww\.|\bPMID\b|\bPMC\d|\barXiv\b|\bISBN\b|\bISSN\b|\bNCT\d|\bISRCTN\d",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    r"\b(?:In|in): |\b(?:Eds?|Hrsg|Hg|Éds?|Coord)\.\)?|\bet al\b|\[(?:Internet|Online|dissertation|PhD thesis)"
    r"|\b(?:Accessed|Retrieved|Zugriff|Abgerufen|Consulté)\b"
    r"|\b(?:University Press|Verlag|Press|Publish\w+|Elsevier|Springer|Wiley|Proceedings|Journal of|Zeitschrift)\b"
    r"|\b\d+(?:st|nd|rd|th) ed\b"
)
_OF_A_FILE = re.compile(r"\s*(?:@[A-Za-z]+\s*[{(]|TY  - [A-Z]+|\\bibitem\b)")  # BibTeX, RIS, LaTeX
_LEADER = re.compile(r"(?:[.·…_] ?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})\s*$|\S(?:\t| {4,})(?:\d{1,4}|[ivxlc]{1,6})\s*$")
_CONTENTS = frozenset(
    [
        "contents",
        "table of contents",
        "list of tables",
        "list of figures",
        "list of abbreviations",
        "inhalt",
        "inhaltsverzeichnis",
        "tabellenverzeichnis",
        "abbildungsverzeichnis",
        "table des matières",
        "sommaire",
        "índice",
        "tabla de contenidos",
        "indice",
        "sumário",
    ]
)
_VERB = re.compile(
    r"\b(?:was|were|is|are|had|has|have|been|did|we|showed|found|died|fell|rose|reduced|increased|measured|enrolled"
    r"|received|wurden?|war|waren|ist|sind|hatten?|était|étaient|sont|fue|fueron|son)\b"
)


def is_list_heading(line: str) -> bool:
    """Return whether a line is the heading of a reference list: "7 References", "Literaturverzeichnis"."""
    return _name(line) in _HEADINGS


def is_contents_heading(line: str) -> bool:
    """Return whether a line is the heading of a table of contents or of a list of tables or figures."""
    return _name(line) in _CONTENTS


def _name(line: str) -> str:
    if len(line) > 100:
        return ""
    words = " ".join(line.strip(" #*_=:.\t").split())
    bare = words if words.casefold() in _HEADINGS else _NUMBERED.sub("", words, count=1)
    return _OF.sub("", bare).casefold().strip(" :.")


def is_contents(text: str) -> bool:
    """Return whether most lines of `text` end with a page number: "1.1 Background ..... 5"."""
    leading = [bool(_LEADER.search(line[-200:])) for line in text.splitlines() if line.strip()]
    return any(leading) and 2 * sum(leading) >= len(leading)


def _beginning(line: str) -> tuple[int, bool, bool]:
    """Return where the work begins in a line, whether a label such as "Source:" precedes it, and whether authors do."""
    marker = _MARKER.match(line)
    begins = marker.end() if marker else 0
    named = _NAMED.match(line, begins)
    start = named.end() if named else begins
    return start, bool(named), bool(_AUTHORS.match(line, start) or _GROUP.match(line, start))


def signs_of(text: str) -> int:
    """Return the number of features of a reference list entry in `text`, 0 to 9."""
    line = " ".join(text[:MOST].split())
    _, is_named, has_authors = _beginning(line)
    doubled = has_authors + bool(_VOLUME.search(line)) + bool(_IDENTIFIER.search(line))
    return 2 * doubled + bool(_YEAR.search(line)) + bool(_PUBLISHED.search(line)) + is_named


def is_entry(text: str) -> bool:
    """Return whether `text` is an entry of a reference list, or of a BibTeX or RIS file, wherever it occurs."""
    if _OF_A_FILE.match(text):
        return True
    if len(text) > MOST:
        return False
    line = " ".join(text.split())
    start, is_named, has_authors = _beginning(line)
    return (
        (is_named or (has_authors and not _TOLD.match(line, start)))
        and signs_of(text) >= CERTAIN
        and len(_VERB.findall(line[start:])) < 2  # more verbs mean that the text states something after naming the work
    )


def is_prose(text: str) -> bool:
    """Return whether a paragraph under the heading of a list is running text, so that the list has ended before it."""
    return signs_of(text) < LIKELY and len(text.split()) >= PROSE


class Leads:
    """Tracks which parts of a document are leads (reference lists, tables of contents), paragraph by paragraph."""

    def __init__(self) -> None:
        self.is_open = False  # within a reference list or table of contents

    def heading(self, words: str) -> None:
        """Process a heading: it begins a list if it is the heading of one, otherwise it ends the list."""
        self.is_open = is_list_heading(words) or is_contents_heading(words)

    def note(self, text: str) -> None:
        """Process a paragraph that is known to be a lead: it may be the heading of a list."""
        line = text.strip().partition("\n")[0]
        if is_list_heading(line) or is_contents_heading(line):
            self.is_open = True

    def of(self, text: str) -> Iterator[tuple[int, int, bool]]:
        """Yield ranges of whole lines of the paragraph `text`: start, end, and whether the range is a lead."""
        at = self._heading_in(text)
        if at is None:
            yield 0, len(text), self._is_lead(text)
            return
        if before := text[:at].rstrip():
            yield 0, len(before), self._is_lead(before)
        line, _, rest = text[at:].partition("\n")
        self.heading(line)
        yield at, len(text) if rest.strip() else at + len(line.rstrip()), True

    def _heading_in(self, text: str) -> int | None:
        """Return the position of a list heading within `text`: its first line, or a line followed by an entry."""
        lines = text.split("\n")
        at = 0
        for number, line in enumerate(lines):
            if len(line) <= 100 and (is_list_heading(line) or (number == 0 and is_contents_heading(line))):
                following = lines[number + 1] if number + 1 < len(lines) else ""
                if number == 0 or signs_of(following) >= LIKELY:
                    return at + len(line) - len(line.lstrip())
            at += len(line) + 1
        return None

    def _is_lead(self, text: str) -> bool:
        is_bare_row = text.startswith("|") and text.endswith("|") and "\n" not in text  # the column names of a table
        if is_bare_row or is_contents(text) or is_entry(text) or is_list(text):
            return True
        self.is_open = self.is_open and not is_prose(text)
        return self.is_open


def is_list(text: str) -> bool:
    """Return whether a paragraph consists of several entries, each on a line of its own."""
    entries: list[list[str]] = []
    for line in text.split("\n"):
        bare = line.strip()
        marker = _MARKER.match(bare)
        start = marker.end() if marker else 0
        if _AUTHORS.match(bare, start) or _GROUP.match(bare, start) or not entries:
            entries.append([])
        entries[-1].append(bare)
    return len(entries) > 1 and 4 * sum(is_entry(" ".join(entry)) for entry in entries) >= 3 * len(entries)
