"""Drafts for a section: asked for, written by an engine, proposed, and taken or not (SPEC T3, T4)."""
