"""Citation styles: formatting references and choosing a style (SPEC C12)."""
