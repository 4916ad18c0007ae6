"""Reading and writing LaTeX: citations, headings, numbers, includes, characters, logs. No database, no settings."""
