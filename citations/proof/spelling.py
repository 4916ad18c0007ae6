"""Whether two titles that are not equal differ in spelling alone, or in a word.

A similarity of .95 is not enough to tell: in a long title it lets a whole word be another, which is what an invented
near miss looks like ("augmentation for ..." and "augmentation towards ..."). A person's slip stays inside a word.
"""

import re

from rapidfuzz.distance import OSA, Levenshtein

_MOST_SLIPS = 2
_LONG_WORD = 7  # letters: in a shorter word one letter more or less is often another word
_ENDS = 3  # letters: another ending is another word ("model" and "models"), and so is another beginning
# British and American, each to one of the two or to neither.
_VARIANTS = [
    (re.compile(pattern), spelt)
    for pattern, spelt in (
        (r"(?<=\w{3})is(?=(?:e|ed|er|ers|es|ing|ation|ations|ational)\b)", "iz"),
        (r"(?<=\w{2}ly)s(?=(?:e|ed|er|ers|es|ing)\b)", "z"),
        (r"(?<=\w\w)our", "or"),
        (r"[ao]e", "e"),
        (r"(?<=\w[tb])re(?=s?\b)", "er"),
        (r"ogue(?=s?\b)", "og"),
        (r"ence(?=s?\b)", "ense"),
        (r"ll", "l"),
        (r"sulph", "sulf"),
        (r"\bprogramme(?=s?\b)", "program"),
        (r"\bgrey", "gray"),
        (r"aluminium", "aluminum"),
        (r"ageing", "aging"),
        (r"artefact", "artifact"),
    )
]


def respelt(one: str, other: str) -> bool:
    """Whether two plain titles are the same, but for the British or American way of spelling."""
    return _respelt(one).replace(" ", "") == _respelt(other).replace(" ", "")


def differ_by_slips(one: str, other: str) -> bool:
    """Whether two plain titles have the same words but for a slip or two.

    A slip is a letter too many or too few, or two that changed places, well inside a long word. A letter that is
    another one makes another word too often ("sulfate", "sulfite"), and so does another ending.
    """
    words, others = _respelt(one).split(), _respelt(other).split()
    changes = [change for change in Levenshtein.opcodes(words, others) if change.tag != "equal"]
    if len(words) != len(others) or any(change.tag != "replace" for change in changes):
        return False
    slips = [
        (here, there)
        for change in changes
        for here, there in zip(
            words[change.src_start : change.src_end], others[change.dest_start : change.dest_end], strict=True
        )
    ]
    return len(slips) <= _MOST_SLIPS and all(_is_slip(here, there) for here, there in slips)


def _respelt(title: str) -> str:
    for variant, spelt in _VARIANTS:
        title = variant.sub(spelt, title)
    return title


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _LONG_WORD or one[:_ENDS] != other[:_ENDS] or one[-_ENDS:] != other[-_ENDS:]:
        return False
    if any(letter.isdigit() for letter in one + other) or OSA.distance(one, other) != 1:
        return False
    return len(one) != len(other) or sorted(one) == sorted(other)
