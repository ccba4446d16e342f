"""Predicates over several events."""
