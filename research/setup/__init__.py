"""What a run is before it begins: profile, limits, budget, and its start (SPEC R1, R2, R16)."""
