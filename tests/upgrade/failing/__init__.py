"""An app whose last migration fails, as one does on data that nobody thought of."""
