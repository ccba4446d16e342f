"""Folds of several queries at once."""
