"""AI drafts of a section: the request, the job that writes it, the proposal, and accepting it (SPEC T3, T4)."""
