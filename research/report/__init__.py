"""Writing the report from the findings (SPEC R9, R10)."""
