"""What is asked of a finished run (SPEC R17)."""
