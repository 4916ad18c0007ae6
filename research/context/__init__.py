"""The user's files in a run: reading, notes, routing to questions, consent and deletion (SPEC X2 to X8)."""
