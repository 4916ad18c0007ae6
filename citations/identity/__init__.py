"""The identity rules: whether a registry record describes the work that an entry claims, and the verdict (SPEC C2)."""
