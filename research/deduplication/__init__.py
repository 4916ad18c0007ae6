"""Finding which records describe the same work (SPEC R8)."""
