"""Advice on which analysis answers a question (SPEC N4): pure functions without database, network or R."""
