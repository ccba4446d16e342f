"""Pictures of results: SVG, and HTML that needs nothing from outside.

Takes: events and matches as Arrow tables, bound queries, what EXPLAIN and EXPLAIN ANALYZE say.
Gives: timelines of matches, series of windows, bars of groups, pages with all of it.
May import: errors, language, analysis, plan, program, explain. No Spark, nothing that runs queries.
"""
