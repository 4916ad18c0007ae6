"""Approval of the brief and the plan of a run (SPEC R3, R4)."""
