"""Explaining: what a query will do, how, and why, without running it.

Takes: a `PhysicalPlan`.
Gives: an `Explanation` (plain data), and from it text, JSON, Mermaid or SVG.
May import: errors, language, analysis, plan, program.
"""
