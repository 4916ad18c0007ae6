"""Asking the registries, and writing what they prove (SPEC C1 to C3, C11)."""
