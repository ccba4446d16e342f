"""Spark batch: shuffle by partition attributes, fold every task's events, combine groups."""
