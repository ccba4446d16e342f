"""The forms of results: all matches, those that do not overlap, partial ones, or the graph."""
