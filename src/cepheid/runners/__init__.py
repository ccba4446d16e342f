"""Runners: the kind of events decides whether queries run in process, on Spark, or on a stream.

Takes: what makes programs, and events of any kind.
Gives: results of the same kind as the events.
May import: spark, stream, tables, engine and what is below them.
"""
