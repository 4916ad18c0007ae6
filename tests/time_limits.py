"""How long a test may take whose code would hang, or take minutes, with the fault it looks for."""

HANGS = 30  # seconds: many times what the test takes on a slow and busy machine
