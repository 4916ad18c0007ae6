"""Importing a text into a thesis: the file read, and the job that stores what it holds (SPEC T2)."""
