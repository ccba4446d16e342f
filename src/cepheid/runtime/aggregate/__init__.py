"""Aggregates over trends, one method a file; each gives rows of values by owner and window."""
