"""The algorithms that the papers compare, written from their text and compiled with Numba.

All take arrays over the events of one stream in the order of time, which is strictly increasing.
Those of SASE: `state` is the place of the event's type in the pattern, or -1; they give the
positions of the events of every match, one row each, and how many sequences were built on the way.
Those that aggregate (`prefix_counters`, `flattened_queries`, `event_graph`, `grained_counts`) give
numbers of matches; `trend_slices` says what the last three have in common.
"""
