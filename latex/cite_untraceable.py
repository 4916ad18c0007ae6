r"""Commands that may hide citations from a reader of LaTeX: Lua, changed meanings of characters, files read by lines.

Nothing is guessed: if such a command may cite, the audit reports it and the final export is blocked (SPEC C7, T5). What
clearly cites nothing is not reported: each finding needs a trace of a citation, or characters that cannot be read.
"""

import re
from typing import NamedTuple

from latex.cite_arguments import closing

_LUA = "it runs Lua, which may cite"

# A text without any of these hides nothing
TRACES = ("Lua", "lua", "catcode", "\\read", "CatchFile", "scantokens", "rescan", "cite =", "cite=", "^^")

_HIDES = re.compile(
    r"\\(?P<lua>directlua|latelua|luaexec|luadirect)(?![A-Za-z])|\\begin\{(?P<code>luacode\*?)\}"
    r"|\\(?P<sign>catcode)\s*(?:`\s*\\?(?P<changed>[^\sA-Za-z])|(?P<number>\d+))\s*=?\s*(?P<to>\\active|\d+)"
    r"|\\(?P<read>read|readline)(?![A-Za-z])\s*(?P<stream>\\?[A-Za-z@\d-]+)\s*to"
    r"|\\(?P<caught>CatchFile(?:Def|Edef|Between\w+))(?![A-Za-z])"
    r"|\\(?P<again>scantokens|tl_rescan:nn)(?![A-Za-z])|(?P<acronym>\\(?:DeclareAcronym|acsetup))(?![A-Za-z])"
    r"|(?<!`)(?P<numbered>\\[A-Za-z@]*\^\^(?:\^\^[0-9a-f]{4}|[0-9a-f]{2})[A-Za-z@]*|\^\^5c[A-Za-z@]*)"
)
_PRINTS = re.compile(r"(?:tex|token)\s*\.|print|write")
_LOADS = re.compile(r"dofile|require|load|\bio\s*\.|token\s*\.")
_CITES = re.compile(r"ci|\\|char|byte|gsub|\.\.")
_TAKES_KEY = re.compile(r"\bcite\s*=\s*\{?\s*[^\s{},]")
_STRONG = frozenset("\\{}%#")
_STRONG_CODES = frozenset({0, 1, 2, 6, 14})
_OF = {"\\": 0, "{": 1, "}": 2, "#": 6, "%": 14}
_LONGEST = 20_000
_GROUP = 4_000  # characters in which the end of a group is searched
_SHORT = 600  # characters that are searched when another character becomes a backslash
_IN_GROUP = re.compile(r"(?:\{|\\begingroup|\\bgroup)\s*(?:\\catcode\s*`\s*\\?\S\s*=?\s*\d+\s*)*\Z")
_ENDS = re.compile(
    r"\\(?:begingroup|endgroup|bgroup|egroup)|\\catcode\s*`\s*\\?(?P<undone>[^\sA-Za-z])\s*=?\s*(?P<code>\d+)|\\.|[{}]",
    re.DOTALL,
)


class Hidden(NamedTuple):
    """A command that may hide citations, at `text[start:end]`, and the reason."""

    name: str
    start: int
    end: int
    why: str


def hidden(shown: str) -> list[Hidden]:
    """Return the commands that may hide citations in `shown` (from `cite_keys.visible`), in linear time."""
    if not any(trace in shown for trace in TRACES):
        return []
    return [
        Hidden(next(filter(None, found.group(*_KINDS))).removeprefix("\\"), *found.span(), why)
        for found in _HIDES.finditer(shown)
        if (why := _why(shown, found))
    ]


def may_hide(written: str) -> bool:
    """Return whether text that is passed to TeX or Lua as code may cite: not if it is plain text or arithmetic."""
    return _CITES.search(written) is not None or _LOADS.search(written) is not None


_KINDS = ("lua", "code", "sign", "read", "caught", "again", "acronym", "numbered")


def _why(shown: str, found: "re.Match[str]") -> str:
    rest = shown[found.end() : found.end() + _LONGEST]
    if found["lua"] or found["code"]:
        code = _inside(rest) if found["lua"] else rest.partition("\\end{luacode")[0]
        cites = _PRINTS.search(code) is not None and _CITES.search(code) is not None
        return _LUA if cites or _LOADS.search(code) is not None else ""
    if found["sign"]:
        why = "it changes the meaning of characters, so that citations after it cannot be read"
        return why if _hides_signs(shown, found) else ""
    if found["numbered"]:
        return "its name has letters written as character codes"
    if found["acronym"]:
        first = _inside(rest)
        second = _inside(rest[len(rest) - len(rest.lstrip()) + len(first) + 2 :])
        return "its option cite names citations" if _TAKES_KEY.search(f"{first} {second}") else ""
    if found["again"]:
        inside = _inside(rest)
        return "it reads text that commands put together" if not inside or may_hide(inside) else ""
    if found["read"] and found["stream"].lstrip("-").isdigit() and not 0 <= int(found["stream"]) <= 15:
        return ""  # it reads from the terminal
    return "it reads lines of another file"


def _inside(rest: str) -> str:
    """Return the text in the braces at the start of `rest`."""
    at = len(rest) - len(rest.lstrip())
    return rest[at + 1 : closing(rest, at)] if rest.startswith("{", at) else ""


def _hides_signs(shown: str, found: "re.Match[str]") -> bool:
    """Return whether the changed meaning of a character may hide citations in the text after it."""
    changed = found["changed"] or chr(min(int(found["number"]), 0x10FFFF))
    to = 13 if found["to"] == "\\active" else int(found["to"])
    if _OF.get(changed) == to or (to not in _STRONG_CODES and changed not in _STRONG):
        return False
    behind = shown[found.end() : found.end() + _GROUP]
    if to == 0 and _IN_GROUP.search(shown[max(0, found.start() - 300) : found.start()]):
        return "cit" in behind[:_SHORT] or "csname" in behind[:_SHORT]
    depth = 0
    for sign in _ENDS.finditer(behind):
        depth += sign[0] in ("{", "\\begingroup", "\\bgroup")
        depth -= sign[0] in ("}", "\\endgroup", "\\egroup")
        is_undone = sign["undone"] is not None and (sign["undone"], int(sign["code"])) == (
            changed,
            _OF.get(changed, 12),
        )
        if depth < 0 or (is_undone and not depth):  # the change ends here
            return "cit" in behind[: sign.start()] or "csname" in behind[: sign.start()]
    return True


# Commands that TeX or a package executes by itself
IMPLICIT = frozenset(["do", "listpart", "everypar", "par"])
_HANDED = re.compile(
    r"\\(?P<name>[A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?)\*?\s*(?P<between>(?:\[[^\[\]{}]*\]|\{[^{}]*\}|\s)*+)\{\s*$"
)
_DECLARES = re.compile(r"(?:Declare|Define|New|Renew|Provide|new|renew|provide|if|If|At|Make|show|@if)[A-Za-z@]*")
_PATCHES = re.compile(r"x?(?:patch|appto|pretoc?|preto)cmd|appto|gappto|preto|robustify|cs\w+|g@addto@macro")


def is_handed_on(shown: str, start: int, end: int) -> bool:
    r"""Return whether the command `shown[start:end]` is passed to one that executes it: \forcsvlist{\cite}{...}."""
    if not re.compile(r"\s*\}").match(shown, end):
        return False
    before = _HANDED.search(shown, max(0, start - 300), start)
    if before is None or _DECLARES.fullmatch(before["name"]):
        return False
    return not (_PATCHES.fullmatch(before["name"]) and not before["between"].strip())
