"""The command line: parse arguments, call the API, print.

Takes: arguments, query files and event files.
Gives: results on stdout, messages on stderr, and an exit code: 0 good, 1 query or data, 2 usage.
May import: everything but pyspark, pydantic and numba.
"""

from cepheid.cli.app import main

__all__ = ["main"]
