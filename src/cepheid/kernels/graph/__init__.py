"""The graph of runs: built, walked, counted, cut by negations."""
