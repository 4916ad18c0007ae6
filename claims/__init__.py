"""Checking statements of a text against the passages they cite; it uses no database, callers pass text and passages."""
