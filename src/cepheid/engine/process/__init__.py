"""This process: its threads, interrupts, its log, and the names of queries in errors.

Takes: functions to run. Gives: what they return, or an error that names its query.
May import: errors.
"""
