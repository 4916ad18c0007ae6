"""Data of persons: found in a text (found) and in a column of data (columns) by the same patterns, and names of known people (names)."""

from text.personal.columns import kind_of_column
from text.personal.found import LABELS, marks_in, personal_in, plural, told
from text.personal.numbers import Mark

__all__ = ["LABELS", "Mark", "kind_of_column", "marks_in", "personal_in", "plural", "told"]
