"""Columns that seem to hold data of persons: by their names, and by what stands in them (SPEC N1, X2)."""

import re
from collections.abc import Sequence

from llm.personal import LABELS, personal_in
from llm.personal.found import told

LOOKED_AT = 200  # cells
_OFTEN = 0.3  # of them hold it: then the column does
_NAMES = [
    ("names of persons", r"(?:patient|pt|full|first|last|sur|given|family|father|mother|husband|wife|spouse|guardian|doctor|nurse)['’s]*[\W_]*(?:full[\W_]*)?names?|names?(?:[\W_]+of[\W_]+(?:the[\W_]+)?(?:patient|person|mother|father|child))?|surname|forename|nachname|vorname|initials"),
    ("national identity numbers", r"aadhaa?r(?:[\W_]*(?:no|number|id|card))?\.?|ssn|nhs[\W_]*(?:no|number)\.?|pan[\W_]*(?:no|number|card)\.?|passport(?:[\W_]*(?:no|number))?\.?|voter[\W_]*id|national[\W_]*id|ahv(?:[\W_]*nr)?|abha(?:[\W_]*(?:no|id|number))?"),
    ("hospital or insurance numbers", r"(?:uhid|mrd|mrn|crno|cr[\W_]+no|i\.?p\.?(?:d|[\W_]+d)?|o\.?p\.?(?:d|[\W_]+d)?|hospital|admission|registration|reg|insurance|policy|medical[\W_]*record)[\W_]*(?:no|number|id|nr)\.?|uhid|mrn|mrd|ip[\W_]*no|op[\W_]*no"),
    ("telephone numbers", r"(?:(?:mobile|phone|telephone|tel|cell|contact|whats?app)(?:[\W_]*(?:no|number|nr|num))?)\.?"),
    ("e-mail addresses", r"e[\W_]?mails?(?:[\W_]*(?:id|address))?"),
    ("postal addresses", r"(?:postal|home|street|permanent|residential)?[\W_]*address(?:es)?|village|street|pin[\W_]*code|postcode|zip(?:[\W_]*code)?"),
    ("dates of birth", r"d\.?o\.?b\.?|(?:date[\W_]*of[\W_]*birth|birth[\W_]*(?:date|day)|geburtsdatum)"),
    ("bank accounts", r"iban|(?:bank[\W_]*)?account[\W_]*(?:no|number)\.?"),
]  # fmt: skip
_COLUMNS = [(words, re.compile(pattern, re.IGNORECASE)) for words, pattern in _NAMES]
_MOBILE = re.compile(r"(?:\+?91[\s-]?|0)?[6-9][0-9]{4}[\s-]?[0-9]{5}")
_AADHAAR = re.compile(r"[2-9][0-9]{3}[\s-]?[0-9]{4}[\s-]?[0-9]{4}")


def personal_of(name: str, cells: Sequence[str], type_: str) -> str:
    """What data of persons a column seems to hold, in words ("telephone numbers"); "" for none.

    A column named so counts when anything stands in it; else what is found in its first cells, as `llm.personal` finds it.
    """
    looked = [text for text in dict.fromkeys(cells[: 20 * LOOKED_AT]) if text][:LOOKED_AT]
    if not looked:
        return ""
    bare = name.strip().strip("*:# ")
    for words, pattern in _COLUMNS:
        if pattern.fullmatch(bare) and not (words == "names of persons" and type_ in ("numeric", "date", "logical")):
            return words
    if type_ in ("factor", "ordered", "logical", "date") and len(looked) < 10:
        return ""
    for words, pattern in (("telephone numbers", _MOBILE), ("national identity numbers", _AADHAAR)):
        if len(looked) > 2 and sum(bool(pattern.fullmatch(text)) for text in looked) > 0.8 * len(looked):
            return words
    if type_ not in ("text", "factor"):
        return ""
    found = personal_in("\n\n".join(text[:300] for text in looked))
    often = {
        kind: count
        for kind, count in found.items()
        if count >= max(1, _OFTEN * len(looked)) or kind in ("email", "iban")
    }
    if not often:
        return ""
    kind = max(often, key=lambda one: often[one])
    words = told({kind: 2}).partition(" ")[2]
    return words or LABELS[kind]
