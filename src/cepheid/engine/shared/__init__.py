"""Folds that take several queries at once.

Takes: merged programs and columns of events.
Gives: the rows of every query.
May import: engine/trends, engine/matches, engine/events, engine/process, kernels, program.
"""
