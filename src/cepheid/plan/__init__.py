"""Planning: what to do (logical), how to do it and why (physical).

Takes: a `BoundQuery`.
Gives: a `PhysicalPlan` in which every choice carries its reason, and what cannot run is named.
May import: errors, language, analysis.
"""
