"""What every phase of a run shares: its rows, its engine, its journal, and the excerpts that a model is shown."""
