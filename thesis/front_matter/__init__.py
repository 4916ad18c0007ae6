"""What stands before the first chapter: title page, forms, preamble; and what rules say of it (SPEC T5)."""
