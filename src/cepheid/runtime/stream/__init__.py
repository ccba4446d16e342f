"""Streams: settled events, and the state that is kept between steps; no Spark in here.

Takes: a program, the state so far, and events that have arrived.
Gives: results that are final, and the new state.
May import: what `runtime` may.
"""
