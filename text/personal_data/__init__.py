"""Data of persons: found in a text and in a column of data by the same patterns (found), and names of known people (names)."""

from text.personal_data.detection import LABELS, kind_of_column, marks_in, personal_in, plural, told
from text.personal_data.phone_and_record_numbers import Mark

__all__ = ["LABELS", "Mark", "kind_of_column", "marks_in", "personal_in", "plural", "told"]
