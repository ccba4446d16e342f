"""Funnels: how many keys get how far through a list of steps.

Takes: events, and steps as short texts of the query language.
Gives: a query for each step, the level of every key, a table and a picture of them.
May import: everything of the API's methods and below it, query and workload.
"""
