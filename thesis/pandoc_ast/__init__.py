"""A thesis's LaTeX, read once into pandoc's tree and numbered as LaTeX numbers it: what the preview and Word render."""
