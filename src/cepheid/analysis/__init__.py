"""Meaning: a tree and the events' schema become a bound query.

Takes: `language.ast.Query` and an `EventSchema`.
Gives: a `BoundQuery`: position automaton, typed predicates in classes, partitions, window, outputs;
    or a `BindingError` with every mistake at once.
May import: errors, language.
"""
