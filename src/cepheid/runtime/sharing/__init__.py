"""Runs the merged programs of a workload on one table.

Takes merged programs and columns of events. Gives the rows of every query. May import what runtime
may.
"""
