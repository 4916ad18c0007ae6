"""A thesis as a Word file, written by pandoc (SPEC T6; docs/decisions/word-file.md)."""
