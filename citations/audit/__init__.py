"""What the text cites against what the thesis holds (SPEC C7)."""
