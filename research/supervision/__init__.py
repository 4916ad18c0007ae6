"""Working the tree of questions in rounds until it is covered (SPEC R6, R7)."""
