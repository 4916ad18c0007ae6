"""What the phases of a run share: its rows, its engine, its journal, and what a model is shown."""
