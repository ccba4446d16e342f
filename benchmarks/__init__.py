"""Benchmarks: Cepheid next to what a user would run instead, in one run on one machine.

`python -m benchmarks` lists them; docs/reference/benchmarks.md says how to read the results.
"""
