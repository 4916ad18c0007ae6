"""Looking references up in the registries and saving the verdicts (SPEC C1 to C3, C11)."""
