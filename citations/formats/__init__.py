"""Readers and writers of BibTeX, BibLaTeX, RIS and CSL-JSON (SPEC C6, C10)."""
