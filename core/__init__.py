"""Helpers used by every app: errors, the database and concurrency."""
