"""The audit: the citations in the text compared with the references of the thesis (SPEC C7)."""
