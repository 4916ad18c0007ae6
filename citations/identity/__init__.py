"""Whether a record is of the work that an entry claims, and what follows from it (SPEC C2)."""
