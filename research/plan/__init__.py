"""Brief and plan, and their approval (SPEC R3, R4)."""
