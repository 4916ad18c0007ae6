"""Authorship: how much text from AI drafts is still in a thesis, and the statement on the use of AI (SPEC T9)."""
