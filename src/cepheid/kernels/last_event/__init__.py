"""Folds that keep a value per last event of a run."""
