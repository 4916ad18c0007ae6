"""Importing a text into a thesis: reading the uploaded file, and the job that stores its content (SPEC T2)."""
