"""Exports of a run: report files, reference lists and data."""
