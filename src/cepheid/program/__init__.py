"""Programs: a physical plan as flat data, all that is sent to executors.

Takes: a `PhysicalPlan`.
Gives: a `Program`: masks, tests, window and output, with names as plain strings and no trees but
    the local predicates; and, for given events, the bit masks of the positions they fit.
May import: errors, language, analysis, plan.
"""
