"""Where the words of a built PDF or a preview stand in the LaTeX of the sections, and back (SPEC T6)."""
