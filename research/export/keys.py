"""The keys of exported works (SPEC R14): first author, year and words of the title.

A key follows from the work alone, never from the order of the works or from what else is asked for: where two works
would have the same, both carry a few signs made from what identifies them.
"""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from citations.formats.csl import ascii_word, surname_of, year_of
from citations.formats.entries import Csl, text_of
from research.models import Source

_WORDS = 2  # of the title
_LONGEST = 24  # characters of each part
_SIGNS = 4  # of what identifies a work, at first
# What a title may well begin with and says nothing of the work.
_SMALL = frozenset(
    {"a", "an", "the", "of", "in", "on", "and", "or", "for", "to", "with", "from", "by", "at", "is", "are", "as", "do"}
    | {"does", "how", "what", "why", "der", "die", "das", "le", "la"}
)


def keys_of(sources: Iterable[Source]) -> dict[str, str]:
    """The key of each of the works `sources` stand for, by document. The thesis's own references keep theirs."""
    rows = {source.document: source for source in sources}
    own = {document for document, source in rows.items() if source.kind == Source.Kind.REFERENCE}
    stems = {document: _stem(source.csl) for document, source in rows.items() if document not in own}
    counted = Counter(stems.values())
    keys = {document: document for document in own}
    taken = {key.casefold() for key in own}
    for document, stem in sorted(stems.items()):
        key, signs = stem, _SIGNS
        if counted[stem] > 1 or stem in taken:
            while (key := f"{stem}-{sha256(document.encode()).hexdigest()[:signs]}") in taken:
                signs += 1
        keys[document] = key
        taken.add(key)
    return keys


def _stem(csl: Csl) -> str:
    surname = ascii_word(surname_of(csl))[:_LONGEST] or "ref"
    words = (ascii_word(word) for word in re.findall(r"\w+", text_of(csl.get("title"))))
    telling = [word[:_LONGEST] for word in words if word and word not in _SMALL][:_WORDS]
    return f"{surname}{year_of(csl) or 'nd'}{''.join(telling)}"
