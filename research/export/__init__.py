"""A run in files that people and programs take away."""
