"""The pages of references."""
