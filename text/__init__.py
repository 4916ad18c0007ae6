"""Natural language processing: words, sentences, tables, references, personal data. No database, no settings."""
