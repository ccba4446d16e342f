"""Synthetic event streams of the papers, for examples, tests and benchmarks.

Takes: the name of a stream, a number of events, a seed and the stream's parameters.
Gives: a `pyarrow.Table` of events in strictly increasing time, or the same table in chunks.
May import: errors, numpy, pyarrow.
"""

from cepheid.generate.registry import STREAMS, generate, generate_chunks
from cepheid.generate.stream import Column, Parameter, Stream

__all__ = ["STREAMS", "Column", "Parameter", "Stream", "generate", "generate_chunks"]
