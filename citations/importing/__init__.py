"""How references come into a thesis, each work once (SPEC C5, C6, C10)."""
