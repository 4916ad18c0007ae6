"""Who wrote what: which words of a text stand as a model drafted them, and the statement made of that (SPEC T9)."""
