"""The front matter of a thesis: preamble, title page, forms; and the rules on length (SPEC T5)."""
