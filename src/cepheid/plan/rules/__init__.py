"""One rule a file: each takes the bound query and gives one choice with its reason.

Takes: a `BoundQuery`.
Gives: a `Choice`.
May import: errors, language, analysis, plan.physical.
"""
