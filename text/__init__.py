"""Natural language: words, sentences, tables, references, personal data. Pure: no database, no settings."""
