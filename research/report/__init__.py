"""From findings to a report (SPEC R9, R10)."""
