"""Aggregate queries: from ordered events to one row per group and window.

`aggregate.py` is the way through: measures (what events contribute), a method that folds or
enumerates, sums per group, and the result's columns.
"""
