"""Assembly of a thesis: sections, references, figures and front matter become a LaTeX project (SPEC T5)."""
