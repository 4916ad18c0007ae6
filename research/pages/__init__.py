"""The pages of research."""
