"""Follow-ups on a finished run (SPEC R17)."""
