"""Lists of names in BibTeX to CSL names and back.

Names are split before LaTeX is decoded: braces decide what one name is, so `{World Health Organization}` stays whole.
"""

import re
from collections.abc import Iterable

from latex.unicode import to_latex, to_unicode

Name = dict[str, str]

_BRACE = r"(?<!\\)[{}]"
_AND = re.compile(rf"{_BRACE}|\s+and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(rf"{_BRACE}|,")
_SPACE = re.compile(rf"{_BRACE}|[\s~]+")


def read_names(value: str) -> tuple[list[Name], bool]:
    """The names in `value`, and whether it ends in "and others"."""
    names: list[Name] = []
    others = False
    for part in _split(" ".join(value.split()), _AND) if value else ():
        if part.casefold() == "others":
            others = True
        elif name := _read_name(part):
            names.append(name)
    return names, others


def write_names(names: Iterable[Name], *, others: bool = False) -> str:
    """The names as one BibTeX value that `read_names` gives back."""
    written = [text for name in names if (text := _write_name(name))]
    return " and ".join([*written, *(["others"] if others else [])])


def _split(value: str, separator: re.Pattern[str]) -> list[str]:
    """`value` cut at the matches of `separator` that stand outside all braces."""
    parts, depth, start = [], 0, 0
    for found in separator.finditer(value):
        if found.group() in "{}":
            depth = max(0, depth + (1 if found.group() == "{" else -1))
        elif depth == 0:
            parts.append(value[start : found.start()].strip())
            start = found.end()
    return [*parts, value[start:].strip()]


def _read_name(part: str) -> Name:
    if _is_one_group(part):
        return _named(literal=part[1:-1])
    family, *rest = _split(part, _COMMA)
    words = [word for word in _split(family, _SPACE) if word]
    small = [place for place, word in enumerate(words[:-1]) if _is_small(word)]
    if rest:
        cut = small[-1] + 1 if small else 0
        suffix, given = (rest[0], ", ".join(rest[1:])) if len(rest) > 1 else ("", rest[0])
        return _named(words[cut:], words[:cut], given, suffix)
    if small:
        return _named(words[small[-1] + 1 :], words[small[0] : small[-1] + 1], " ".join(words[: small[0]]))
    return _named(words[-1:], (), " ".join(words[:-1]))


def _named(
    family: Iterable[str] = (), particle: Iterable[str] = (), given: str = "", suffix: str = "", literal: str = ""
) -> Name:
    fields = {
        "family": " ".join(family),
        "given": given,
        "non-dropping-particle": " ".join(particle),
        "suffix": suffix,
        "literal": literal,
    }
    return {name: text for name, value in fields.items() if (text := to_unicode(value))}


def _is_one_group(part: str) -> bool:
    """Whether the first brace of `part` closes at its very end; `{\\"O}` is a letter, not a group."""
    if not part.startswith("{") or part.startswith("{\\"):
        return False
    depth = 0
    for found in re.finditer(_BRACE, part):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end() == len(part)
    return False


def _is_small(word: str) -> bool:
    """Whether BibTeX takes `word` for a particle ("van"): it begins with a small letter outside braces."""
    if word.startswith("{") and not word.startswith("{\\"):
        return False
    return (to_unicode(word) if word.startswith(("{", "\\")) else word)[:1].islower()


def _write_name(name: Name) -> str:
    if literal := name.get("literal"):
        return _grouped(to_latex(literal))
    family = " ".join(name.get("family", "").split())
    particle = name.get("non-dropping-particle") or name.get("dropping-particle") or ""
    if particle and not all(word[:1].islower() for word in particle.split()):
        family, particle = f"{particle} {family}", ""
    last = " ".join(filter(None, [to_latex(particle), _guarded(family, small=True)]))
    if last.isalpha() and last[:1].isupper() and not name.get("given") and not name.get("suffix"):
        return last  # one word needs no comma to be a family name
    parts = [last, *([_guarded(name["suffix"])] if name.get("suffix") else []), _guarded(name.get("given", ""))]
    return ", ".join(parts).strip() if any(parts) else ""


def _guarded(text: str, *, small: bool = False) -> str:
    """A part of a name, in braces where BibTeX would cut it, or take a word of it for a particle."""
    words = text.split()
    cut = "," in text or any(word.casefold() == "and" for word in words)
    taken = small and any(_is_small(to_latex(word)) for word in words)
    return _grouped(to_latex(text)) if cut or taken else to_latex(text)


def _grouped(latex: str) -> str:
    return f"{{{{}}{latex}}}" if latex.startswith("\\") else f"{{{latex}}}"
