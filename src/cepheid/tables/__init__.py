"""Tables of events and results in the kinds that users have.

Takes: tables, files and DataFrames.
Gives: Arrow tables and columns, and results of the same kind as the events.
May import: program and what is below it, engine/process.
"""
