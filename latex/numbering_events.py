r"""The parts of a text that change LaTeX's counters, as events: headings, captions, equations, commands."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from latex.cite_keys import visible
from latex.headings import title_at

HEADINGS = {
    "part": -1, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5,
}  # fmt: skip
_UNNUMBERED = {"addchap": "chapter", "addsec": "section", "addpart": "part"}  # KOMA's headings without numbers
_BELOW = {"addchap": "section", "addsec": "subsection", "addpart": "unused"}  # the counter that each of them resets
_ENVIRONMENTS = {
    **dict.fromkeys(["figure", "wrapfigure", "sidewaysfigure", "SCfigure", "floatingfigure", "marginfigure"], "figure"),
    **dict.fromkeys(["table", "wraptable", "sidewaystable", "SCtable", "floatingtable", "margintable"], "table"),
    **dict.fromkeys(["longtable", "xltabular", "longtabu"], "longtable"),
    **dict.fromkeys(["subfigure", "subtable", "subcaptionblock", "subcaptiongroup"], "part of a float"),
    "appendices": "appendices",
    **dict.fromkeys(["algorithm", "algorithm2e"], "algorithm"),
    "subequations": "subequations",
}
# Environments that are no theorems, whoever declares them
_PLAIN = frozenset(
    [
        "document", "itemize", "enumerate", "description", "center", "flushleft", "flushright", "quote", "quotation",
        "verse", "abstract", "tabular", "tabularx", "array", "minipage", "verbatim", "lstlisting", "tikzpicture",
        "proof", "split", "aligned", "gathered", "cases", "matrix", "pmatrix", "bmatrix", "titlepage", "landscape",
        "thebibliography", "tablenotes", "threeparttable", "footnotesize", "small", "scriptsize", "spacing",
    ]
)  # fmt: skip
_EQUATIONS = frozenset(["equation", "multline"])
ALIGNED = frozenset(["align", "gather", "eqnarray", "flalign", "alignat"])  # each line has a number
_TOKEN = re.compile(
    r"\\(?P<heading>" + "|".join([*HEADINGS, *_UNNUMBERED]) + r")(?![A-Za-z@])(?P<star>\*?)\s*(?=[\[{])"
    r"|\\(?P<caption>caption)(?P<of>of)?(?![A-Za-z@])(?P<plain>\*?)\s*(?(of)\{(?P<kind>\w+)\}\s*)(?=[\[{])"
    r"|\\(?P<way>begin|end)\s*\{(?P<name>[A-Za-z]+)(?P<stars>\*?)\}"
    r"|\\(?P<state>setcounter|addtocounter|counterwithin|counterwithout|numberwithin|stepcounter|refstepcounter"
    r"|appendix|frontmatter|mainmatter|backmatter|ContinuedFloat|setsecnumdepth|maxsecnumdepth|renewcommand"
    r"|newtheorem|declaretheorem|crefname|Crefname|usepackage)"
    r"(?![A-Za-z@])"
)
STATE = re.compile(
    r"\\(?:(?P<value>setcounter|addtocounter)\s*\{(?P<of>\w+)\}\s*\{(?P<to>[^{}]*(?:\{[^{}]*\})?)\}"
    r"|(?P<within>counterwithin|counterwithout|numberwithin)(?P<bare>\*?)\s*(?:\[[^\[\]]*\])?"
    r"\s*\{(?P<inner>\w+)\}\s*\{(?P<outer>\w+)\}"
    r"|(?P<step>stepcounter|refstepcounter)\s*\{(?P<stepped>\w+)\}"
    r"|(?P<deep>setsecnumdepth|maxsecnumdepth)\s*\{(?P<level>\w+)\}"
    r"|renewcommand\*?\s*(?:\{\s*\\the(?P<one>[a-z]+)\s*\}|\\the(?P<other>[a-z]+))"
    r"\s*\{(?P<format>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|newtheorem(?P<lonely>\*?)\s*\{(?P<theorem>[A-Za-z]+)\}\s*(?:\[(?P<like>[A-Za-z]+)\])?"
    r"\s*\{(?P<word>(?:[^{}]|\{[^{}]*\})*)\}\s*(?:\[(?P<below>[A-Za-z]+)\])?"
    r"|declaretheorem\s*(?:\[(?P<keys>(?:[^\[\]{}]|\{[^{}]*\})*)\])?\s*\{(?P<declared>[A-Za-z]+)\}"
    r"|(?P<case>[cC])refname\s*\{(?P<type>[A-Za-z]+)\}\s*\{(?P<single>[^{}]*)\}\s*\{(?P<plural>[^{}]*)\}"
    r"|usepackage\s*\[(?P<options>[^\[\]]*)\]\s*\{cleveref\}"
    r"|(?P<plain>appendix|frontmatter|mainmatter|backmatter|ContinuedFloat)(?![A-Za-z@]))"
)
# What ends the search for the labels of a heading or caption
_NEXT = re.compile(r"\\(?:begin|end|caption|item|" + "|".join([*HEADINGS, *_UNNUMBERED]) + r")(?![A-Za-z@])")
DECLARATION = re.compile(r"\\(?:newtheorem|declaretheorem|[cC]refname)(?![A-Za-z@])")
_OPTIONS = re.compile(r"\s*\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\]")
_SILENT = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_ROW = re.compile(r"\\(?:begin|end)\s*\{[A-Za-z]+\*?\}|\\\\\*?(?:\s*\[[^\[\]]*\])?|\\.|[{}]", re.DOTALL)


# A line of an equation: the number that \tag gives it, "" for no number, None for the next one; and its labels
Row = tuple[str | None, tuple[str, ...]]


class Event(NamedTuple):
    """An event at `start` of a text.

    `kind`: "heading" and "caption" (`plain`: with a star), "begin" and "end" of the environment `name`, "state" (`name`
    is a command that sets counters), "rows" of an equation, "other" for an environment that may be a theorem.
    `title` is that of a heading or caption with a label.
    """

    kind: str
    start: int
    name: str = ""
    plain: bool = False
    labels: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    title: str = ""


@lru_cache(maxsize=256)  # enough for all sections of a thesis: after an edit only the changed one is read again
def events(latex: str) -> tuple[Event, ...]:
    """Return the events of a text in order."""
    seen = visible(latex)
    made: list[Event] = []
    at = 0
    while found := _TOKEN.search(seen, at):
        start, at = found.span()
        if name := found["heading"]:
            if name in _UNNUMBERED:
                made.append(Event("state", start, rf"\setcounter{{{_BELOW[name]}}}{{0}}"))
            plain = bool(found["star"]) or name in _UNNUMBERED
            labels = _labels_behind(seen, at)
            made.append(
                Event("heading", start, _UNNUMBERED.get(name, name), plain, labels, title=_title(seen, at, labels))
            )
        elif found["caption"]:
            labels = _labels_behind(seen, at)
            made.append(
                Event(
                    "caption", start, found["kind"] or "", bool(found["plain"]), labels, title=_title(seen, at, labels)
                )
            )
        elif name := found["name"]:
            new, at = _environment(latex, seen, found, name)
            made += new
        elif state := STATE.match(seen, start):
            made.append(Event("state", start, state[0]))
            at = state.end()
    return tuple(made)


def _environment(latex: str, seen: str, found: re.Match[str], name: str) -> tuple[list[Event], int]:
    """Return the events of the beginning or the end of an environment, and where to read on."""
    start, at = found.span()
    begins, is_starred = found["way"] == "begin", bool(found["stars"])
    if name == "lstlisting" and begins:
        return list(_listing(latex, start, at)), at
    if begins and not is_starred and (name in _EQUATIONS or name in ALIGNED):
        end = seen.find(f"\\end{{{name}}}", at)
        end = len(seen) if end < 0 else end
        return [Event("rows", start, rows=tuple(rows_of(name, latex[at:end])))], end
    if known := _ENVIRONMENTS.get(name):
        return [Event(found["way"], start, known, is_starred)], at
    if begins and not is_starred and name not in _PLAIN:
        return [Event("other", start, name, labels=_labels_behind(seen, at))], at
    return [], at


def _listing(latex: str, start: int, at: int) -> Iterator[Event]:
    """Yield the caption of a listing, which is in its options."""
    options = _OPTIONS.match(latex, at)
    if options and re.search(r"(?<![a-z])caption\s*=", options[1]):
        label = re.search(r"(?<![a-z])label\s*=\s*\{?([^{},\]]*)", options[1])
        yield Event("caption", start, "lstlisting", labels=(label[1].strip(),) if label else ())


def _labels_behind(seen: str, at: int) -> tuple[str, ...]:
    """Return the labels in the title of a heading or caption, and right after it."""
    end = seen.find("\n\n", at)
    near = seen[at : min(at + 600, len(seen) if end < 0 else end)]
    following = _NEXT.search(near)
    return tuple(name.strip() for name in _LABEL.findall(near[: following.start()] if following else near)[:3])


def _title(seen: str, at: int, labels: tuple[str, ...]) -> str:
    """Return the title at `at` of what has `labels`, for references by name."""
    return title_at(seen, at) if labels else ""


def rows_of(name: str, inside: str) -> Iterator[Row]:
    """Yield the lines of the equation `name` with the content `inside`."""
    inside = _COMMENT.sub("", inside)
    for row in split_rows(inside) if name in ALIGNED else [inside]:
        if row.strip():
            tag = _TAG.search(row)
            number = tag[1] if tag else "" if _SILENT.search(row) else None
            yield number, tuple(map(str.strip, _LABEL.findall(row)))


def split_rows(tex: str) -> list[str]:
    r"""Return the lines of an aligned equation, split at each \\ outside braces and inner environments."""
    parts, depth, begun = [], 0, 0
    for found in _ROW.finditer(tex):
        token = found[0]
        depth += token.startswith(("{", r"\begin")) - token.startswith(("}", r"\end"))
        if token.startswith("\\\\") and depth <= 0:
            parts.append(tex[begun : found.start()])
            begun = found.end()
    return [*parts, tex[begun:]]
