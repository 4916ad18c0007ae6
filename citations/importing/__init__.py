"""Adding and importing references, each work only once (SPEC C5, C6, C10)."""
