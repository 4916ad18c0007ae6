"""Setting up a run: profile, limits, budget, and starting it (SPEC R1, R2, R16)."""
