"""What the library looks for in a query."""

import re

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
MAX_TERMS = 40
MAX_QUERY = 4_000  # characters; what follows is not searched for


def words_of(query: str) -> list[str]:
    """Return the words that are looked for, each once."""
    return list(dict.fromkeys(token.lower() for token in _TOKEN.findall(query[:MAX_QUERY])))[:MAX_TERMS]
