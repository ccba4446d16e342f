"""Match queries: from ordered events to a graph of runs, and from the graph to rows.

Takes: ordered events.
Gives: tables of matches, in the form that the query asks for (`forms`).
May import: engine/events, engine/process, kernels, program and what is below it.
"""
