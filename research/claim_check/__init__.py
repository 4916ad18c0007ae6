"""The claim check: each sentence of a report is compared with the passages it cites (SPEC R11)."""
