r"""Reading the arguments of a command as TeX does: from its expansion first, then from the text after it."""

import re
from collections.abc import Mapping

MASK = "\x02"  # replaces a backslash in an argument from the text, whose commands are read at their own place
PASSED = frozenset(
    ["expandafter", "relax", "noexpand", "protect", "unexpanded", "leavevmode", "ignorespaces", "unskip", "fi", "or"]
    + ["begingroup", "bgroup", "endgroup", "egroup", "exp_after:wN", "global", "long", "protected"]
)
COMMAND = re.compile(r"\\(?:(__[A-Za-z_@:]+|[A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?)|(.))", re.DOTALL)
ONE_COMMAND = re.compile(r"\s*\\(?:[A-Za-z@]+|[^A-Za-z@])\s*")
_BLANK = re.compile(r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+")


class ArgumentReader:
    """Reads `shown` from `at` on, with a stack of expansions to read first. `pairs` has the end of each brace."""

    def __init__(self, shown: str, pairs: Mapping[int, int], at: int) -> None:
        self.pairs = pairs
        self.frames: list[tuple[str, int]] = [(shown, at)]
        self.furthest = at
        self.masks = True

    def _blank(self) -> bool:
        """Skip blanks, and the rest of conditionals; return whether anything follows."""
        while True:
            text, at = self.frames[-1]
            if found := _BLANK.match(text, at):
                at = found.end()
            if at < len(text):
                passed = COMMAND.match(text, at)
                if passed and passed[1] in PASSED:
                    at = passed.end()
                elif passed and passed[1] == "else":
                    end = text.find("\\fi", at)
                    at = end + 3 if end >= 0 else len(text)
                else:
                    self.frames[-1] = (text, at)
                    return True
                self.frames[-1] = (text, at)
                continue
            if len(self.frames) == 1:
                return False
            self.frames.pop()

    def _peek(self) -> str:
        here = list(self.frames)
        there = self._blank()
        text, at = self.frames[-1]
        self.frames = here
        return text[at] if there else ""

    def _skip(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self._blank()
        text, at = self.frames[-1]
        self.frames[-1] = (text, at + 1)
        return True

    def _argument(self, *, masked: bool = True, key: bool = False) -> str | None:
        here = list(self.frames)
        there = self._blank()
        text, at = self.frames[-1]
        is_source = len(self.frames) == 1
        sign = text[at] if there else "}"
        close = self._closing(at) if sign == "{" else None
        if sign == "}" or (sign == "{" and close is None) or (key and is_source and sign not in "{\\"):
            self.frames = here
            return None
        if close is not None:
            inner, end = text[at + 1 : close], close + 1
        else:
            found = COMMAND.match(text, at) if sign == "\\" else None
            end = found.end() if found else at + 1
            inner = text[at:end]
        self.frames[-1] = (text, end)
        if is_source:
            self.furthest = max(self.furthest, end)
            if masked and self.masks and "\\" in inner and ONE_COMMAND.fullmatch(inner) is None:
                return inner.replace("\\", MASK)
        return inner

    def _option(self, opens: str, closes: str) -> str | None:
        if self._peek() != opens:
            return None
        if opens == "{":
            return self._argument()
        here = list(self.frames)
        self._blank()
        text, at = self.frames[-1]
        place, end = at + 1, min(len(text), at + 4_000)
        if len(self.frames) == 1 and opens == "[" and self.masks:
            place = self.pairs.get(at, end)
        while place < end:
            sign = text[place]
            if sign == closes:
                self.frames[-1] = (text, place + 1)
                inner = text[at + 1 : place]
                return inner.replace("\\", MASK) if len(self.frames) == 1 and self.masks else inner
            if sign == "{":
                place = self._closing(place) or end
            elif sign == "\\":
                place += 1
            place += 1
        self.frames = here
        return None

    def _closing(self, at: int) -> int | None:
        return self.pairs.get(at) if len(self.frames) == 1 else closing(self.frames[-1][0], at)


def closing(text: str, at: int) -> int | None:
    """Return where the brace at `at` is closed; None if it is not."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, at):
        depth += (found[0] == "{") - (found[0] == "}")
        if not depth and found[0] == "}":
            return found.start()
    return None
