r"""The title page and the forms of a thesis, as LaTeX, and as plain blocks for Word and the preview (SPEC T5).

The certificates have the wording that such forms usually have; an institution may ask for its own. A field that nobody
filled in is printed as a line to fill in by hand: no name is ever made up.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, zip_longest
from typing import NamedTuple

from latex.printable_characters import escape_latex_lines
from thesis.front_matter.page_fields import NBEMS, TITLES, printed, read_abbreviations, values
from thesis.manuscript import Manuscript

CLAIMING = ("declaration", "guide", "co_guide", "head")  # forms that call the thesis the candidate's own work
BLANK = "________________"  # a line to fill in by hand; in LaTeX a rule


class Block(NamedTuple):
    """A part of a page.

    `kind`: heading, name (of the thesis), strong and line (both centred), words (a paragraph), gap, signature (`text`
    is who signs, `more` their post) and pair (the abbreviation `text` and its meaning `more`).
    """

    kind: str
    text: str = ""
    more: str = ""


class Page(NamedTuple):
    """A page of the front matter: `name` from page_fields.PAGES, its `latex` with breaks, and the same as `blocks`."""

    name: str
    latex: str
    blocks: tuple[Block, ...] = ()


def front_pages(manuscript: Manuscript) -> list[Page]:
    """Return the title page and the forms that are printed, in their order, up to the abbreviations.

    The contents and the lists of tables and figures follow them: see `contents`.
    """
    known, names = values(manuscript), printed(manuscript)
    have = {name: word or BLANK for name, word in known.items()}
    given = {name for name, word in known.items() if word} | ({"ai_use"} & set(names))
    made = {
        name: tuple(_MADE[name](manuscript, have, given))
        for name in names
        if name in _MADE and not (name == "ai_use" and "declaration" in names)
    }
    return [Page(name, _latex(name, blocks, manuscript.layout.template), blocks) for name, blocks in made.items()]


def contents(manuscript: Manuscript) -> list[Page]:
    """Return the contents, and the list of tables or figures when one has a caption."""
    commands = {"contents": r"\tableofcontents", "tables": r"\listoftables", "figures": r"\listoffigures"}
    return [Page(name, f"{commands[name]}\n") for name in printed(manuscript) if name in commands]


def single_spaced(title: str) -> bool:
    """Return whether an appendix with this title may be single spaced: case record, consent, information (T06)."""
    return any(word in title.casefold() for word in ("case record", "proforma", "consent", "information sheet"))


def is_appendix(title: str) -> bool:
    """Return whether a section is an appendix by its title: the default until somebody chooses the appendices."""
    return title.casefold().lstrip().startswith(("appendi", "annex"))


Made = list[Block]
Have = dict[str, str]
Given = set[str]


def _title(manuscript: Manuscript, have: Have, given: Given) -> Made:
    is_nbems = manuscript.layout.template == NBEMS
    lead = (
        "Thesis submitted to the National Board of Examinations in Medical Sciences" if is_nbems else "Thesis submitted"
    )
    return [
        Block("gap"),
        Block("name", manuscript.title),
        Block("gap"),
        Block("line", f"{lead} in partial fulfilment of the requirements for the degree of"),
        Block("strong", f"{have['degree']} in {have['discipline']}"),
        Block("gap"),
        Block("line", "by"),
        Block("strong", have["author"]),
        *([Block("line", f"Registration number: {have['registration_number']}")] if is_nbems else []),
        Block("gap"),
        *_person("Guide", "guide", have, given),
        *(_person("Co-guide", "co_guide", have, given) if "co_guide_name" in given else []),
        Block("gap"),
        *([Block("line", f"Department of {have['department']}")] if "department" in given else []),
        Block("line", have["institution"]),
        *([Block("line", f"Session: {have['session']}")] if is_nbems else []),
        Block("line", have["submitted"]),
    ]


def _person(role: str, who: str, have: Have, given: Given) -> Made:
    post = [Block("line", have[f"{who}_post"])] if f"{who}_post" in given else []
    return [Block("line", f"{role}: {have[f'{who}_name']}"), *post]


def _where(have: Have, given: Given) -> str:
    return (
        f"the Department of {have['department']}, {have['institution']}"
        if "department" in given
        else have["institution"]
    )


def _degree(have: Have) -> str:
    return f"in partial fulfilment of the requirements for the degree of {have['degree']} in {have['discipline']}"


def _signed(have: Have) -> Made:
    return [Block("gap"), Block("words", f"Place: {have['place']}"), Block("words", f"Date: {BLANK}")]


def _certificate(who: str, how: str, manuscript: Manuscript, have: Have, given: Given) -> Made:
    is_trained = who == "guide" and manuscript.layout.template == NBEMS
    during = f" during the session {have['session']}" if is_trained else ""
    return [
        Block("heading", TITLES[who]),
        Block(
            "words",
            f"This is to certify that the thesis titled “{manuscript.title}” is the bona fide work of "
            f"{have['author']}, done {how} at {_where(have, given)}{during}"
            f"{_excepted(manuscript, given, 'candidate')}, and is submitted {_degree(have)}.",
        ),
        *_signed(have),
        Block("signature", have[f"{who}_name"], have[f"{who}_post"] if f"{who}_post" in given else ""),
    ]


def _head(manuscript: Manuscript, have: Have, given: Given) -> Made:
    return [
        Block("heading", TITLES["head"]),
        Block(
            "words",
            f"This is to certify that the thesis titled “{manuscript.title}” is the bona fide work of "
            f"{have['author']}, done at {_where(have, given)} under the guidance of {have['guide_name']}"
            f"{_excepted(manuscript, given, 'candidate')}, and is submitted {_degree(have)}.",
        ),
        *_signed(have),
        Block("signature", have["head_name"], have["head_post"] if "head_post" in given else "Head of institution"),
    ]


def _declaration(manuscript: Manuscript, have: Have, given: Given) -> Made:
    signing = [Block("signature", have["author"], "Candidate")]
    number = ""
    if manuscript.layout.template == NBEMS:  # T14: candidate, guide, co-guide and head of institution sign
        number = f" (registration number {have['registration_number']})"
        signing += [Block("signature", have["guide_name"], "Guide")]
        signing += [Block("signature", have["co_guide_name"], "Co-guide")] if "co_guide_name" in given else []
        signing += [Block("signature", have["head_name"], "Head of institution")]
    return [
        Block("heading", TITLES["declaration"]),
        Block(
            "words",
            f"I, {have['author']}{number}, declare that the thesis titled “{manuscript.title}” is my own bona fide "
            f"work, done at {_where(have, given)} under the guidance of {have['guide_name']}"
            f"{_excepted(manuscript, given, 'below')}, and that it is submitted {_degree(have)}. The works of others "
            "that it draws on are cited. It has not been submitted for another degree or diploma.",
        ),
        *([Block("strong", TITLES["ai_use"]), *_paragraphs(manuscript.ai_use.statement)] if "ai_use" in given else []),
        *_signed(have),
        *signing,
    ]


_EXCEPTED = {
    "model": "for text drafted with the help of a language model",
    "quoted": "for sentences of the cited works that software put together",
}
_WHERE = {"below": " as stated below", "candidate": " as the candidate’s statement says"}


def excepted(stands: Sequence[str]) -> str:
    """Return the exception in a form that calls the thesis the candidate's own work, for AiUse.stands; "" for none."""
    return f", except {' and '.join(_EXCEPTED[by] for by in stands)}" if stands else ""


def _excepted(manuscript: Manuscript, given: Given, where: str) -> str:
    words = excepted(manuscript.ai_use.stands)
    return f"{words}{_WHERE[where]}" if words and "ai_use" in given else words


def _paragraphs(text: str) -> Made:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [Block("words", line) for line in lines if line]


def _ai_use(manuscript: Manuscript, have: Have, given: Given) -> Made:
    return [Block("heading", TITLES["ai_use"]), *_paragraphs(manuscript.ai_use.statement)]


def _ethics(manuscript: Manuscript, have: Have, given: Given) -> Made:
    registration = f" (registration {have['ethics_registration']})" if "ethics_registration" in given else ""
    return [
        Block("heading", TITLES["ethics"]),
        Block(
            "words",
            f"The study “{manuscript.title}” was approved by {have['ethics_committee']}{registration} "
            f"under the number {have['ethics_number']} on {have['ethics_date']}.",
        ),
        *(
            [Block("words", f"Registration of the trial: {have['trial_registration']}.")]
            if "trial_registration" in given
            else []
        ),
    ]


def _acknowledgements(manuscript: Manuscript, have: Have, given: Given) -> Made:
    return [Block("heading", TITLES["acknowledgements"]), *_paragraphs(manuscript.layout.acknowledgements)]


def _abbreviations(manuscript: Manuscript, have: Have, given: Given) -> Made:
    found, _ = read_abbreviations(manuscript.layout.abbreviations)
    ordered = sorted(found, key=lambda one: (one.short.casefold(), one.short))
    return [Block("heading", TITLES["abbreviations"]), *(Block("pair", one.short, one.long) for one in ordered)]


_MADE: dict[str, Callable[[Manuscript, Have, Given], Made]] = {
    "title": _title,
    "guide": partial(_certificate, "guide", "under my guidance"),
    "co_guide": partial(_certificate, "co_guide", "under my co-guidance"),
    "head": _head,
    "declaration": _declaration,
    "ai_use": _ai_use,
    "ethics": _ethics,
    "acknowledgements": _acknowledgements,
    "abbreviations": _abbreviations,
}


def _latex(name: str, blocks: tuple[Block, ...], template: str) -> str:
    """Return `blocks` as LaTeX, by commands that preamble.py defines."""
    lines = [_lines(kind, list(group)) for kind, group in groupby(blocks, lambda block: block.kind) if kind != "pair"]
    if pairs := [block for block in blocks if block.kind == "pair"]:
        rows = "\n".join(rf"{{{_words(pair.text)}}} & {{{_words(pair.more)}}} \\" for pair in pairs)
        lines.append(f"\\begin{{abbreviations}}\n{rows}\n\\end{{abbreviations}}")
    if name != "title":
        return "\\begin{formpage}\n" + "\n".join(lines) + "\n\\end{formpage}\n"
    style = "plain" if template == NBEMS else "empty"  # T02: every page is numbered
    return f"\\begin{{formtitle}}{{{style}}}\n" + "\n".join(lines) + "\n\\end{formtitle}\n"


def _lines(kind: str, blocks: list[Block]) -> str:
    """Return consecutive blocks of one kind as LaTeX; several signatures stand two in a row to fit on the page."""
    if kind != "signature" or len(blocks) == 1:
        return "\n".join(map(_block, blocks))
    rows = []
    for one, other in zip_longest(blocks[::2], blocks[1::2]):
        signed = [f"{{{_words(block.text)}}}{{{_words(block.more)}}}" for block in (one, other) if block]
        rows.append((r"\formsignatures" if other else r"\formsignature") + "".join(signed))
    return "\n".join(rows)


def _block(block: Block) -> str:
    text = _words(block.text)
    return {
        "gap": r"\formgap",
        "heading": rf"\formheading{{{text}}}",
        "signature": rf"\formsignature{{{text}}}{{{_words(block.more)}}}",
        "name": rf"\formname{{{text}}}",
        "strong": rf"\formstrong{{{text}}}",
        "line": rf"\formline{{{text}}}",
    }.get(block.kind, f"{text}\n")


def _words(text: str) -> str:
    return r"\formblank{}".join(tex_with_edges(part) for part in text.split(BLANK))


def tex_with_edges(text: str) -> str:
    """Return `text` as LaTeX, with a space at its start and end where it has one."""
    made = " ".join(escape_latex_lines(text))
    return f"{' ' if text[:1] == ' ' else ''}{made}{' ' if text[-1:] == ' ' and made else ''}"
