"""The dialog for citing (SPEC C8)."""
