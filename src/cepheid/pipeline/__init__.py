"""Pipelines: a YAML file that says what to read, which queries to run and where results go.

Takes: the path of a YAML file; the environment, for secrets.
Gives: a checked `Pipeline`, a description of what it would do, and running streams.
May import: everything but cli and web; pyspark only through runtime and connectors.
"""
