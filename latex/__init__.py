"""Reading and writing LaTeX: commands, citations, headings, included files, letters, the log of a build. Pure: no database, no settings."""
