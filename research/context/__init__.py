"""The person's files in a run: bound, noted, routed, and what may be sent of them (SPEC X2 to X8)."""
