"""Detection of personal data in texts and data columns by patterns, and of known names."""

from text.personal_data.detection import LABELS, count_personal_data, counts_in_words, kind_of_column, marks_in, plural
from text.personal_data.phone_and_record_numbers import Mark

__all__ = ["LABELS", "Mark", "kind_of_column", "marks_in", "count_personal_data", "plural", "counts_in_words"]
