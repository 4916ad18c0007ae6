"""Which records are one work (SPEC R8)."""
