"""Citations and comments of a Word file: from marks in its LaTeX to `\\cite` and comments of the sections (SPEC T2).

Nothing is lost: a citation that cannot be read keeps its text, and whatever has no place is in the report.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from citations.formats.csl import short_authors
from citations.formats.word_citations import CitedWork, UnusableWork, cite_command, cited_work
from citations.importing.upsert import Upsert, UpsertResult
from core.errors import Refused
from core.storable_text import storable
from latex.bibtex_unicode import to_latex
from projects.models import Project, User
from sections import comments
from sections.comment_anchors import anchor_at
from sections.models import Comment, Section
from sections.word_mark_signs import BEGIN, CITE, END, marks, read_mark
from thesis.importing.typed_list.add_entries import with_key

NAMES = {"zotero": "Zotero", "mendeley": "Mendeley", "mendeley-cite": "Mendeley Cite", "endnote": "EndNote"}
_WORDS_NEAR = 8  # words before a citation that tell its place
_PART = 9_000  # characters of a comment; the rest of a longer one follows as answers
_OPENING = re.compile(r"\\[A-Za-z]+\{\Z")
_WORD_BEFORE = re.compile(r"(?:\\[A-Za-z]+(?:\[[^\[\]]*\])*\{[^{}]*\}|\w+)\W{0,3}\Z")


@dataclass
class WordContent:
    """What a Word file has besides its text.

    `works` are those of its citations by the number of their field; `broken` says why others have none.
    """

    base: int
    fields: list[dict[str, Any]]
    comments: list[dict[str, Any]]
    entries: list[dict[str, str]]
    works: dict[int, list[CitedWork]] = field(default_factory=dict)
    broken: dict[int, str] = field(default_factory=dict)
    placed: set[int] = field(default_factory=set)  # numbers of fields whose mark was met
    came: list[str] = field(default_factory=list)
    unplaced: list[dict[str, str]] = field(default_factory=list)

    def tell(self, what: str, text: str, where: str, why: str) -> None:
        """Add a row to the list of what could not be placed, or should be looked at."""
        where = without_marks(where, self)
        self.unplaced.append({"what": what, "text": storable(text), "where": storable(where), "why": storable(why)})


def read_word_content(marked: Mapping[str, Any]) -> WordContent:
    """Return the citations and comments that were found in a Word file (`word_marks.answered`)."""
    word = WordContent(**{name: marked[name] for name in ("base", "fields", "comments", "entries")})
    word.unplaced += marked["lost"]
    for number, one in enumerate(word.fields):
        word.works[number] = []
        if one["broken"]:
            word.broken[number] = one["broken"]
        for data in one["data"].get("works", []):
            try:
                word.works[number].append(cited_work(data))
            except UnusableWork as unusable:
                word.broken[number] = str(unusable)
    return word


def without_marks(text: str, word: WordContent) -> str:
    """Return words without marks."""
    return " ".join(marks(word.base).sub("", text).split())


def add_references(project: Project, word: WordContent) -> dict[int, list[tuple[str, CitedWork]]]:
    """Add the cited works to the references of `project`; return their keys by the number of the citation.

    To be called in a transaction that locks the project. A work that is there already is found again.
    """
    works, names = dict[str, CitedWork](), dict[str, str]()
    for work in (work for cited in word.works.values() for work in cited):
        data = repr(work.entry.csl)
        # One work of two programs has another identity in each; one identity with two titles is not trusted.
        identity = work.identity and f"{work.identity} {letters(work.entry.csl.get('title', ''))}"
        name = names[data] = names.get(identity) or names.get(data) or data
        if identity:
            names[identity] = name
        works.setdefault(name, work)
    keys = dict[str, None]()
    entries = [with_key(work.entry, keys) for work in works.values()]
    upsert = Upsert(project, unseen=True)
    taken = dict(zip(works, upsert.take(entries), strict=True))
    upsert.write()
    _tell_references(word, list(taken.values()))
    for name, result in taken.items():
        if result.wrong:
            csl = works[name].entry.csl
            word.tell("Reference", ". ".join(filter(None, (short_authors(csl), csl.get("title")))), "", result.wrong)
    found = {}
    for number, cited in word.works.items():
        results = [taken[names[repr(work.entry.csl)]] for work in cited]
        if refused := next((one.wrong for one in results if one.wrong), ""):
            word.broken.setdefault(number, refused.rstrip("."))
        if number not in word.broken:
            found[number] = [(one.reference[1], work) for one, work in zip(results, cited, strict=True)]
    return found


def _tell_references(word: WordContent, taken: Sequence[UpsertResult]) -> None:
    keys = {one.reference[1] for one in taken if not one.wrong}
    new = {one.reference[1] for one in taken if one.outcome == "added"}
    if keys:
        there = f", {len(keys) - len(new):,} there already" if len(keys) > len(new) else ""
        word.came.append(f"{_count(len(keys), 'reference')}: {len(new):,} added{there}. Each is looked up.")


def place_citations(latex: str, title: str, word: WordContent, keys: Mapping[int, list[tuple[str, CitedWork]]]) -> str:
    r"""Return the LaTeX of a section with `\cite` at the marks of its citations. The marks of comments stay."""

    def cited(found: re.Match[str]) -> str:
        kind, number = read_mark(found[0], word.base)
        if kind != CITE:
            return found[0] if kind in (BEGIN, END) else ""
        one, is_first = word.fields[number], number not in word.placed
        word.placed.add(number)
        if is_first:
            _tell_citation(word, number, title)
        if number in keys:
            return cite_command(keys[number])
        # The text of a broken field is there. Brackets are in braces: after \item they would be its option.
        return "" if one["broken"] else re.sub(r"[\[\]]", r"{\g<0>}", to_latex(one["shown"]))

    return marks(word.base).sub(cited, latex)


def _tell_citation(word: WordContent, number: int, title: str) -> None:
    one = word.fields[number]
    text = one["data"].get("text", "")
    near = " ".join(one["near"].split()[-_WORDS_NEAR:])
    where = f"{title}, after “{near}”" if near else title
    what = f"Citation by {NAMES[one['manager']]}"
    if number in word.broken:
        works = " The works that could be read are in the citations." if word.works[number] else ""
        word.tell(what, one["shown"], where, f"Its text was kept: {word.broken[number]}.{works}")
    elif text and letters(text) != letters(one["shown"]):
        why = f"It cites the works in its data. Its text had been changed by hand; the data say “{text[:200]}”."
        word.tell(what, one["shown"], where, why)


def tell_citations(word: WordContent) -> None:
    """Complete the report of the citations, after all sections: how many there are, and which have no place."""
    for number, one in enumerate(word.fields):
        if number not in word.placed:
            why = "It is in a part of the file that is not text. Its works are in the citations."
            if number in word.broken:
                why = f"It could not be read: {word.broken[number]}."
            word.tell(f"Citation by {NAMES[one['manager']]}", one["shown"], one["near"].strip(), why)
    came = Counter(NAMES[one["manager"]] for number, one in enumerate(word.fields) if number not in word.broken)
    if came:
        parts = [f"{_count(count, 'citation')} from {name}" for name, count in sorted(came.items())]
        word.came.insert(0, f"{', '.join(parts)}.")


def place_comments(sections: Sequence[Section], word: WordContent, spans: Mapping[int, list[Any]], user: User) -> None:
    """Add the comments at their `spans`: by number, the place of their section and the anchor."""
    threads: dict[int, Comment] = {}
    resolved = 0
    # A file may have an answer before the comment that it answers.
    for number, one in sorted(enumerate(word.comments), key=lambda pair: pair[1]["to"] is not None):
        text, where = _comment_body(one), ""
        try:
            first, *rest = [text[start : start + _PART] for start in range(0, len(text), _PART)]
            if one["to"] in threads:
                thread = comments.reply(threads[one["to"]], first, by=user)
            elif number in spans:
                place, anchor = spans[number]
                where = sections[place].title
                thread = comments.add(sections[place], first, anchor, by=user)
            else:
                word.tell(f"Comment by {_author(one)}", one["text"], "", "Its words are not in the imported text.")
                continue
            for part in rest:
                comments.reply(thread, part, by=user)
        except Refused as refused:
            word.tell(f"Comment by {_author(one)}", one["text"], where, refused.message)
            continue
        threads[number] = thread
        if one["done"] and thread.replies_to_id is None:
            resolved += 1
            comments.resolve(thread, by=user)
    if threads:
        done = f", {resolved:,} of them resolved" if resolved else ""
        are = "is at its words" if len(threads) == 1 else "are at their words"
        each = "it" if len(threads) == 1 else "each"
        word.came.append(f"{_count(len(threads), 'comment')} {are}{done}, with the name and the day in {each}.")


def take_out_comment_marks(latexes: Sequence[str], word: WordContent) -> tuple[list[str], dict[int, list[Any]]]:
    """Return the sections' LaTeX without marks, and the places of the comments for `place_comments`."""
    texts, begins, ends = [], dict[int, tuple[int, int]](), dict[int, tuple[int, int]]()
    for place, latex in enumerate(latexes):
        pieces, at, length = [], 0, 0
        for found in marks(word.base).finditer(latex):
            pieces.append(latex[at : found.start()])
            length, at = length + len(pieces[-1]), found.end()
            kind, number = read_mark(found[0], word.base)
            (begins if kind == BEGIN else ends)[number] = (place, length)
        texts.append("".join([*pieces, latex[at:]]))
    spans = {}
    for number, (place, start) in begins.items():
        text = texts[place]
        in_place, end = ends.get(number, (-1, 0))
        if in_place != place:  # it goes on into another section: to the end of the paragraph
            end = text.find("\n\n", start) if text.find("\n\n", start) >= 0 else len(text)
        spans[number] = [place, anchor_at(text, *_words_at(text, start, end))]
    return texts, spans


def _words_at(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without spaces at its ends and with whole braces; the word before it where nothing is in it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    opened = text.count("{", start, end) - text.count("}", start, end)
    while opened > 0 and text.startswith("}", end):
        opened, end = opened - 1, end + 1
    while opened < 0 and (command := _OPENING.search(text[max(0, start - 40) : start])):
        opened, start = opened + 1, start - len(command[0])
    if start >= end and (word := _WORD_BEFORE.search(text[max(0, start - 200) : start])):
        return start - len(word[0]), start
    return start, end


def _comment_body(one: Mapping[str, Any]) -> str:
    """Return a comment with the name of its author and the day in words."""
    day = ""
    with suppress(ValueError):
        day = f" on {datetime.fromisoformat(one['date']):%-d %B %Y, %H:%M}"
    return str(storable(f"{_author(one)} in Word{day}:\n\n{one['text'] or '(no words)'}"))


def _author(one: Mapping[str, Any]) -> str:
    return str(storable(" ".join(one["author"].split())[:100])) or "Somebody"


def letters(text: str) -> str:
    """Return the letters and digits of a text, for comparing."""
    return "".join(filter(str.isalnum, text)).casefold()


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
