"""The record of a run: the journal of its steps, and the provenance log."""
