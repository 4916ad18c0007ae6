"""Private details are taken out of 100,000 characters: a chapter full of names, for the first time and again."""

import time

from llm.redaction import Redaction
from tests.benchmarks.figure import Figure
from text.personal_data.find_names import Names

LENGTH = 100_000  # characters
SENTENCE = (
    "Of 1,204 patients (mean age 54.3 years) with asthma, Asha Iyer saw 17 % in 2019 \\cite{Iyer_2019}; Müller none. "
)
NAMES = Names(
    people=("Asha Iyer", "Jörg Müller", "Max Power"), lines=tuple(f"Patient{number} Kept" for number in range(1_000))
)


def measure() -> list[Figure]:
    text = (SENTENCE * LENGTH)[:LENGTH]
    Redaction("warm", NAMES).texts([SENTENCE])
    first, again = (_processor_seconds(text) for _ in range(2))
    return [
        Figure(f"redaction of {LENGTH:,} characters with 1,000 kept lines, first time (processor)", first, "s"),
        Figure(f"redaction of {LENGTH:,} characters with 1,000 kept lines, again (processor)", again * 1000, "ms", 10),
    ]


def _processor_seconds(text: str) -> float:
    began = time.process_time()
    Redaction("thesis", NAMES).texts([text])
    return time.process_time() - began
