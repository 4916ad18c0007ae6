"""The tree of questions, worked in rounds until it is covered (SPEC R6, R7)."""
