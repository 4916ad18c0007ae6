"""BibTeX, RIS and CSL-JSON, in and out (SPEC C6, C10)."""
