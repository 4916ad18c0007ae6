"""Detection of personal data in texts and data columns by patterns, and of known names."""

from text.personal_data.detection import LABELS, kind_of_column, marks_in, personal_in, plural, told
from text.personal_data.phone_and_record_numbers import Mark

__all__ = ["LABELS", "Mark", "kind_of_column", "marks_in", "personal_in", "plural", "told"]
