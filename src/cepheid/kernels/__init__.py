"""Compiled loops over arrays.

Takes: NumPy arrays and plain numbers.
Gives: NumPy arrays.
May import: numpy, numba; nothing of Cepheid outside this folder. `values` and `predicates` need
    nothing else, `graph`, `position` and `last_event` build on them, `shared` on all.
"""
