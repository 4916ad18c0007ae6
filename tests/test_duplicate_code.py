"""No two pieces of the application's code are alike over more than twelve lines, even under other names.

A line counts by its shape: names, words and numbers do not matter; comments, docstrings and imports are left out.
The lines of a table, a list of addresses or the fields of a model are alike by their nature, so a piece needs
several lines that differ.
"""

import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.count_statements import ROOT, git, is_counted

MOST = 12  # lines
DIFFERENT = 7  # lines of a piece that differ from each other in their shape
# Pairs of files that may have a piece in common, and why.
ALLOWED = {
    frozenset(
        ("citations/pages/import_export.py", "thesis/views.py")
    ): "The pages of an import of references and of one of a "
    "text: three short views each, with addresses, templates and rights of their own.",
}

_LITERAL = {tokenize.STRING: "text", tokenize.NUMBER: "number"}
_NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def shapes(source: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the shape of each line of `source` that holds code."""
    lines: dict[int, list[str]] = defaultdict(list)
    statement: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            begins = statement[0][1]
            if begins not in ("import", "from") and [shape for _, shape in statement] != ["text"]:
                for row, shape in statement:
                    lines[row].append(shape)
            statement = []
        elif token.type not in _NOTHING:
            is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            statement.append((token.start[0], "name" if is_name else _LITERAL.get(token.type, token.string)))
    for row, words in lines.items():
        yield row, " ".join(words)


def alike(sources: Mapping[str, str]) -> list[str]:
    """Return the places where pieces of `sources` (texts by path) are alike, each pair once."""
    first_seen: dict[tuple[str, ...], tuple[str, int]] = {}
    found: list[str] = []
    for path, source in sources.items():
        lines = list(shapes(source))
        reported_to = -1  # the line up to which a pair was reported already
        for start in range(len(lines) - MOST):
            piece = tuple(shape for _, shape in lines[start : start + MOST + 1])
            other, at = first_seen.setdefault(piece, (path, start))
            apart = other != path or start > at + MOST
            if (
                apart
                and start > reported_to
                and len(set(piece)) >= DIFFERENT
                and frozenset((other, path)) not in ALLOWED
            ):
                begins = list(shapes(sources[other]))[at][0]
                found.append(f"{other}:{begins} and {path}:{lines[start][0]}")
                reported_to = start + MOST
    return found


def test_no_two_pieces_of_the_application_are_alike() -> None:
    paths = filter(is_counted, git("ls-files").splitlines())
    assert alike({path: (ROOT / path).read_text(encoding="utf-8") for path in paths}) == []


ONE = """def one(first):
    # told in a comment
    told = {name: value for name, value in first.items() if value}
    if not told:
        raise ValueError("nothing is there")
    for name in told:
        while name > 3:
            name -= told[name]
    try:
        said = open(told["name"], "rb").read()
    except OSError as error:
        return None
    with open(said) as file:
        return file.read(7), told
"""
OTHER = """import os

def two(second, third=None):
    '''This.'''
    found = {key: kept for key, kept in second.items() if kept}
    if not found:
        raise LookupError("there is none")
    for key in found:
        while key > 12:
            key -= found[key]

    try:
        text = open(found["key"], "r").read()
    except TypeError as odd:
        return None
    with open(text) as page:
        return page.read(1), found
"""


def test_what_is_alike_is_found_under_other_names() -> None:
    assert alike({"one.py": ONE.replace("(first)", "(first, more=None)"), "two.py": OTHER}) == ["one.py:1 and two.py:3"]
    assert alike({"twice.py": ONE + OTHER.replace("(second, third=None)", "(second)")}) == [
        "twice.py:1 and twice.py:17"
    ]


def test_what_differs_is_not_found() -> None:
    assert alike({"one.py": ONE, "two.py": OTHER.replace("while", "if")}) == []
    assert alike({"table.py": "\n".join(f"ROW_{number} = {number}" for number in range(60))}) == []
