"""Researching one question: the researcher with its tools, the catalogues, web pages and the library (SPEC R5)."""
