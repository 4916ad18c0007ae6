"""Which analysis answers a question: pure, no rows, no network, no R (SPEC N4)."""
