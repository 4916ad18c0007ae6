"""Data of persons in a text: found by patterns (found), and names of people who are known (names)."""

from llm.personal.found import LABELS, marks_in, personal_in, told
from llm.personal.numbers import Mark

__all__ = ["LABELS", "Mark", "marks_in", "personal_in", "told"]
