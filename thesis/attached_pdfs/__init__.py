"""PDFs of references: attaching them, and finding the reference of each of many uploaded PDFs (SPEC C9, X1)."""
