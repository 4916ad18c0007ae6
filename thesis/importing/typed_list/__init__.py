"""A typed list of references: splitting it into entries, finding its marks in the text, and linking both (SPEC C5)."""
