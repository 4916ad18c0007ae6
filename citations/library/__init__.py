"""A thesis's library of references: several changed at once, tags, filters (SPEC C5, C9)."""
