"""Folds that keep a value per position of the pattern."""
