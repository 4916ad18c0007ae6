"""References as a style prints them (SPEC C12)."""
