"""The algorithms that the papers compare, written from their text and compiled with Numba.

All take arrays over the events of one stream in the order of time, which is strictly increasing:
`state` is the place of the event's type in the pattern, or -1. All give the positions of the events
of every match, one row each, and how many sequences were built on the way.
"""
