"""Runners: they order the events, keep the state and make the results.

Takes: a `Program` and events.
Gives: result tables of the kind the events came in.
May import: errors, language, analysis, plan, program, kernels.
"""
