"""Inserting findings, reports and results of analyses into a section, with their sources as references (SPEC T7)."""
