"""Aggregate queries: from ordered events to one row per group and window.

`aggregation.py` is the way through: measures (what events contribute), a fold, sums per group, and
the columns of the result.

Takes: columns of events.
Gives: tables of groups and windows, or what tasks of a distributed run tell each other.
May import: engine/matches, engine/events, engine/process, kernels, program and what is below it.
"""
