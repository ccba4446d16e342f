"""Compiled loops over arrays.

Takes: NumPy arrays and plain numbers.
Gives: NumPy arrays.
May import: numpy, numba; nothing of Cepheid outside this folder.
"""
