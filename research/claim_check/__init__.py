"""Each sentence of a report compared with what it cites (SPEC R11)."""
