"""What a run did and in what order: steps that are stored, and the log."""
