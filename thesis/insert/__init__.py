"""What research has found goes into the text of a thesis, with its sources as references (SPEC T7)."""
