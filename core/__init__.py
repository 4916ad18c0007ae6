"""What every app uses and nobody sees: errors and the database."""
