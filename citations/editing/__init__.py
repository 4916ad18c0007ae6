"""Changes that a person makes to a reference: editing, attesting, merging (SPEC C5)."""
