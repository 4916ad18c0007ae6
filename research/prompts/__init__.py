"""The prompts of every role of a run: instructions, and the material they are asked about."""
