"""The papers' experiments, run again: same streams and parameters, same baselines."""
