"""The manuscript as a page: set text with numbers, figures, formulas and citations, for reading (SPEC G1)."""
