"""The fields that the title page and the forms need, and the pages that each template has (SPEC T5).

Which pages an NBEMS thesis has is common practice, not a quoted rule (docs/nbems.md, T18: uncertain); that the
declaration is signed by the candidate, the guide, the co-guide and the head of institution is a rule (T14).
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from latex.cite_keys import visible
from latex.headings import plain
from latex.word_count import count_words
from thesis.manuscript import FRONT, Chapter, Manuscript

_AUTHOR = re.compile(r"\\author\s*(?:\[[^\[\]]*\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
REPORT, NBEMS = "report", "nbems"
LONGEST_FACT = 300  # characters
LONGEST_TEXT = 20_000  # of the acknowledgements, or of the abbreviations


class Fact(NamedTuple):
    """A field that a person fills in. `printed_on` names the pages that print it, `templates` those that ask for it.

    `needed`: without a value its page has a line to fill in by hand. `pattern` is what a value usually looks like,
    `unusual` the advice for one that does not; it is never refused.
    """

    name: str
    label: str
    hint: str
    group: str
    printed_on: tuple[str, ...]
    templates: tuple[str, ...] = (REPORT, NBEMS)
    needed: bool = True
    pattern: str = ""
    unusual: str = ""


class PageKind(NamedTuple):
    """A page of the front matter. `printed` by template: always unless switched off, only when it has text, or not."""

    name: str
    title: str
    hint: str
    printed: dict[str, str]


ALWAYS, WITH_WORDS, NOT = "always", "with words", "not"

WORK, PLACE, PEOPLE, ETHICS = "The work", "Where and when", "Who guides it", "Ethics approval"
GROUPS = (WORK, PLACE, PEOPLE, ETHICS)

FACTS = (
    Fact(
        "author",
        "Your name",
        "As it should be printed. Leave it empty to use the name of the thesis's owner.",
        WORK,
        ("title", "guide", "co_guide", "head", "declaration"),
    ),
    Fact(
        "registration_number",
        "Registration number",
        "The number you are registered under.",
        WORK,
        ("title", "declaration"),
        (NBEMS,),
    ),
    Fact(
        "degree",
        "Degree",
        "For example MD, MSc, DNB or DrNB. Leave it empty to use the degree from the settings.",
        WORK,
        ("title", "guide", "co_guide", "head", "declaration"),
    ),
    Fact(
        "discipline",
        "Subject",
        "For example Anaesthesiology. Leave it empty to use the discipline from the settings.",
        WORK,
        ("title", "guide", "co_guide", "head", "declaration"),
    ),
    Fact(
        "department",
        "Department",
        "Without the words “Department of”.",
        PLACE,
        ("title", "guide", "co_guide", "head", "declaration"),
        needed=False,
    ),
    Fact(
        "institution",
        "Institution",
        "The hospital, college or university, with its town.",
        PLACE,
        ("title", "guide", "co_guide", "head", "declaration"),
    ),
    Fact("session", "Session", "Years of the training, for example 2023–2026.", PLACE, ("title", "guide"), (NBEMS,)),
    Fact("submitted", "Submitted in", "Month and year, for example June 2026.", PLACE, ("title",)),
    Fact("place", "Place of signing", "The town.", PLACE, ("guide", "co_guide", "head", "declaration"), needed=False),
    Fact("guide_name", "Guide", "Name with title: Dr Meera Iyer.", PEOPLE, ("title", "guide", "declaration")),
    Fact(
        "guide_post",
        "Guide’s post",
        "For example Professor, Department of Anaesthesiology.",
        PEOPLE,
        ("title", "guide"),
        needed=False,
    ),
    Fact(
        "co_guide_name",
        "Co-guide",
        "Leave it empty when there is none; no certificate is printed then.",
        PEOPLE,
        ("title", "co_guide", "declaration"),
        needed=False,
    ),
    Fact("co_guide_post", "Co-guide’s post", "", PEOPLE, ("title", "co_guide"), needed=False),
    Fact("head_name", "Head of institution", "Name with title.", PEOPLE, ("head", "declaration")),
    Fact("head_post", "Post of the head", "For example Medical Director.", PEOPLE, ("head",), needed=False),
    Fact("ethics_committee", "Ethics committee", "Its name as on the letter.", ETHICS, ("ethics",)),
    Fact("ethics_number", "Approval number", "As on the letter.", ETHICS, ("ethics",)),
    Fact("ethics_date", "Date of approval", "For example 14 March 2024.", ETHICS, ("ethics",)),
    Fact(
        "ethics_registration",
        "Committee registration number",
        "With the Drugs Controller General of India, if it has one.",
        ETHICS,
        ("ethics",),
        needed=False,
    ),
    Fact(
        "trial_registration",
        "Trial registration number",
        "For example CTRI/2024/03/064321. Regulated clinical trials must have one before the first enrolment.",
        ETHICS,
        ("ethics",),
        needed=False,
        pattern=r"(?!CTRI)|CTRI/\d{4}/\d{2}/\d{6}",
        unusual="A CTRI number usually looks like CTRI/2024/03/064321: year, month and six digits.",
    ),
)

PAGES = (
    PageKind("title", "Title page", "", {REPORT: ALWAYS, NBEMS: ALWAYS}),
    PageKind("guide", "Certificate of the guide", "", {REPORT: NOT, NBEMS: ALWAYS}),
    PageKind(
        "co_guide", "Certificate of the co-guide", "Only when a co-guide is named.", {REPORT: NOT, NBEMS: WITH_WORDS}
    ),
    PageKind("head", "Certificate of the head of institution", "", {REPORT: NOT, NBEMS: ALWAYS}),
    PageKind("declaration", "Declaration", "", {REPORT: NOT, NBEMS: ALWAYS}),
    PageKind(
        "ai_use",
        "Statement on the use of AI",
        "Only when there is something to state. Printed on the page of the declaration, if there is one.",
        {REPORT: WITH_WORDS, NBEMS: WITH_WORDS},
    ),
    PageKind("ethics", "Ethics approval", "", {REPORT: NOT, NBEMS: ALWAYS}),
    PageKind(
        "acknowledgements", "Acknowledgements", "Only when there are any.", {REPORT: WITH_WORDS, NBEMS: WITH_WORDS}
    ),
    PageKind("abbreviations", "Abbreviations", "Only when there are any.", {REPORT: WITH_WORDS, NBEMS: WITH_WORDS}),
    PageKind("contents", "Contents", "", {REPORT: ALWAYS, NBEMS: ALWAYS}),
    PageKind("tables", "List of tables", "Only when a table has a caption.", {REPORT: WITH_WORDS, NBEMS: WITH_WORDS}),
    PageKind(
        "figures", "List of figures", "Only when a figure has a caption.", {REPORT: WITH_WORDS, NBEMS: WITH_WORDS}
    ),
)
TITLES = {page.name: page.title for page in PAGES}
BY_NAME = {fact.name: fact for fact in FACTS}


def facts_of(template: str) -> list[Fact]:
    """Return the fields that `template` asks for, in their order."""
    return [fact for fact in FACTS if template in fact.templates]


def unusual(fact: Fact, value: str) -> str:
    """Return the advice for a `value` of an unusual form, or "" (T22: the form of the number is common knowledge)."""
    return fact.unusual if fact.pattern and value and not re.fullmatch(f"(?:{fact.pattern}).*", value) else ""


class Abbreviation(NamedTuple):
    """An abbreviation `short` of `long`, from the line `line` (1-based) of the field."""

    short: str
    long: str
    line: int


def read_abbreviations(text: str) -> tuple[list[Abbreviation], list[str]]:
    """Return the abbreviations of `text`, one a line as "ICU = intensive care unit", and messages for the wrong lines.

    Empty lines are skipped. An abbreviation repeated with the same meaning counts once, with another it is an error.
    """
    found: dict[str, Abbreviation] = {}
    wrong: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        short, equals, long = (part.strip() for part in line.partition("="))
        if not equals:
            wrong.append(f"Line {number}: put “=” between the abbreviation and its meaning: ICU = intensive care unit.")
        elif not short:
            wrong.append(f"Line {number}: the abbreviation before “=” is missing.")
        elif not long:
            wrong.append(f"Line {number}: the meaning of “{short}” after “=” is missing.")
        elif short in found and found[short].long.casefold() != long.casefold():
            wrong.append(f"Line {number}: “{short}” already has another meaning in line {found[short].line}.")
        else:
            found.setdefault(short, Abbreviation(short, long, number))
    return list(found.values()), wrong


@dataclass(frozen=True)
class Unfilled:
    """An empty field that pages need. `printed` has the titles of those pages."""

    name: str
    label: str
    printed: str


def values(manuscript: Manuscript) -> dict[str, str]:
    """Return the values of all fields by name ("": empty); author, degree and discipline default to the project's."""
    typed = {fact.name: " ".join(str(manuscript.layout.facts.get(fact.name) or "").split()) for fact in FACTS}
    known = {
        "author": _own_author(manuscript) or manuscript.author,
        "degree": manuscript.degree,
        "discipline": manuscript.discipline,
    }
    return typed | {name: " ".join(word.split()) for name, word in known.items() if not typed[name]}


def _own_author(manuscript: Manuscript) -> str:
    r"""Return the author that an imported thesis prints, by \author in its main file; "" for none."""
    if manuscript.main is None:
        return ""
    text = "".join(piece.get("text", "") for piece in manuscript.main.pieces or [])
    found = _AUTHOR.search(visible(text))
    return plain(text[found.start(1) : found.end(1)].replace("\\and", ", ")) if found else ""


def printed(manuscript: Manuscript) -> list[str]:
    """Return the names of the pages that are printed, in their order; no page for an imported thesis.

    A form that a person wrote into the section "Front matter" is left out, so that it is not printed twice.
    """
    if manuscript.is_brought:
        return []
    own = written_in_front(manuscript)
    layout = manuscript.layout
    template = layout.template if layout.template in (REPORT, NBEMS) else REPORT
    return [
        page.name
        for page in PAGES
        if page.name not in own
        and layout.pages.get(page.name, page.printed[template] != NOT)
        and (page.name not in _HAS_WORDS or _has_words(manuscript, page.name))
    ]


_HAS_WORDS = ("co_guide", "ai_use", "acknowledgements", "abbreviations", "tables", "figures")


def _has_words(manuscript: Manuscript, page: str) -> bool:
    match page:
        case "co_guide":
            return bool(values(manuscript)["co_guide_name"])
        case "ai_use":
            return bool(manuscript.ai_use.statement.strip())
        case "acknowledgements":
            return bool(manuscript.layout.acknowledgements.strip())
        case "abbreviations":
            return bool(read_abbreviations(manuscript.layout.abbreviations)[0])
    return any(_has_captions(chapter.latex, page) for chapter in manuscript.chapters)


_FLOATS = {
    "tables": re.compile(r"\\begin\s*\{(?:(?:sideways)?table\*?|longtable|wraptable)\}"),
    "figures": re.compile(r"\\begin\s*\{(?:(?:sideways)?figure\*?|wrapfigure)\}"),
}


def _has_captions(latex: str, page: str) -> bool:
    """Return whether a table (or figure) of `latex` has a caption, so that it is listed."""
    if "\\caption" not in latex:
        return False
    seen = visible(latex)
    if re.search(rf"\\captionof\s*\{{{page.removesuffix('s')}\}}", seen):
        return True
    for found in _FLOATS[page].finditer(seen):
        name = found[0].rpartition("{")[2]
        end = seen.find(f"\\end{{{name}", found.end())
        caption = seen.find("\\caption", found.end())
        if caption != -1 and (end == -1 or caption < end) and not seen.startswith("\\caption*", caption):
            return True
    return False


def unfilled(manuscript: Manuscript) -> list[Unfilled]:
    """Return the empty fields that are printed as a line to fill in by hand."""
    pages, have = printed(manuscript), values(manuscript)
    empty = (fact for fact in facts_of(manuscript.layout.template) if fact.needed and not have[fact.name])
    return [
        Unfilled(fact.name, fact.label, ", ".join(on))
        for fact in empty
        if (on := [TITLES[name] for name in fact.printed_on if name in pages])
    ]


# What a person wrote into the section "Front matter"

_HEADING = re.compile(r"[ \t]*\\(?:chapter|section|subsection)\*?\s*\{([^{}]*)\}[ \t]*(?:\\label\{[^{}]*\})?[ \t]*")
_PAGE_OF = (
    (r"declaration", ("declaration",)),
    (r"certificates?", ("guide", "co_guide", "head")),
    (r"acknowledge?ments?", ("acknowledgements",)),
    (r"(?:list of )?abbreviations", ("abbreviations",)),
    (r"ethics? (?:committee )?(?:approval|clearance)", ("ethics",)),
    (r"title page", ("title",)),
    (
        r"(?:statement on |declaration on |disclosure of )?(?:the )?use of "
        r"(?:ai|artificial intelligence|language models?)",
        ("ai_use",),
    ),
)
_OWN_TITLE = re.compile(r"\\maketitle(?![A-Za-z])|\\begin\s*\{titlepage\}")


def front_section(manuscript: Manuscript) -> Chapter | None:
    """Return the section "Front matter", whose text is printed after the forms; None when there is none."""
    return next((chapter for chapter in manuscript.chapters if chapter.slug == FRONT), None)


def written_in_front(manuscript: Manuscript) -> set[str]:
    """Return the names of the pages that a person wrote into the section "Front matter"."""
    section = front_section(manuscript)
    if section is None:
        return set()
    seen = visible(section.latex)
    found = {"title"} if _OWN_TITLE.search(seen) else set()
    written = (title for title, start, end in _parts(seen) if count_words(section.latex[start:end]))
    return found.union(*map(_pages_of, written))


def parts_headed(seen: str, page: str) -> list[str]:
    """Return the non-empty text below each heading of `seen` (visible LaTeX) that names `page`."""
    texts = ((title, seen[start:end]) for title, start, end in _parts(seen))
    return [text for title, text in texts if page in _pages_of(title) and count_words(text)]


def front_text(latex: str) -> str:
    """Return the text of "Front matter" as it is printed: a heading without text below it is commented out.

    Line numbers stay as they are. Returns "" when there is no text at all.
    """
    if not count_words(_HEADING.sub("", visible(latex))) and not _OWN_TITLE.search(latex):
        return ""
    made, done = [], 0
    for found, (_, start, end) in zip(_HEADING.finditer(visible(latex)), _parts(visible(latex)), strict=True):
        if not count_words(latex[start:end]) and not latex[start:end].strip():
            made += [latex[done : found.start()], "% ", latex[found.start() : found.end()].lstrip()]
            done = found.end()
    return "".join(made) + latex[done:]


def _parts(seen: str) -> list[tuple[str, int, int]]:
    """Return each heading of `seen`, with the start and end of the text below it."""
    found = list(_HEADING.finditer(seen))
    ends = [*(one.start() for one in found[1:]), len(seen)][: len(found)]
    return [(one[1], one.end(), end) for one, end in zip(found, ends, strict=True)]


def _pages_of(title: str) -> tuple[str, ...]:
    plain = " ".join(title.casefold().split())
    return next((pages for pattern, pages in _PAGE_OF if re.fullmatch(pattern, plain)), ())
