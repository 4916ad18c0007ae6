"""Pandoc's tree of a thesis's LaTeX, numbered as LaTeX numbers it: the input of the preview and of Word files."""
