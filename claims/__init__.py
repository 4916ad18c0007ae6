"""Sentences that state something, compared with the passages they cite: no rows; callers pass text and passages."""
