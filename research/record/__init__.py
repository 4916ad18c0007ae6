"""The journal, the provenance log, replay and exports (SPEC R12 to R14, R16)."""
