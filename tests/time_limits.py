"""Time limits of tests whose code hangs, or takes minutes, if it has the fault they test for."""

HANGS = 30  # seconds: many times what the test takes on a slow and busy machine
