"""One text without private details, for tests."""

from llm.redaction import Redaction
from text.personal_data.find_names import Names


def redact(text: str, names: Names, salt: str) -> tuple[str, dict[str, str]]:
    """`text` without private details, and what each placeholder in it stands for."""
    redaction = Redaction(salt, names)
    return redaction.texts([text])[0], redaction.values
