"""One question: the researcher with its tools, catalogues, pages and the library (SPEC R5)."""
