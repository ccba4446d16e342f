"""OUTPUT COMPRESSED on Spark: one graph per task, as bytes in a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from cepheid.engine.matches.forms.compressed import CompressedMatches
from cepheid.engine.matches.forms.compressed_bytes import from_bytes
from cepheid.engine.matches.match_rows import match_schema
from cepheid.errors import ConfigError
from cepheid.program.program import MatchOutput, Program
from cepheid.spark.frames.spark_schema import spark_schema

COUNTS = pa.schema([("matches", pa.string())])


@dataclass(frozen=True, slots=True)
class SparkCompressedMatches:
    """All matches of a query on Spark, as graphs that share what they have in common.

    `graphs` has a row per task: the size of its graph, and the graph. It is lazy, like everything
    on Spark: cache or write it to have the matching done once.
    """

    graphs: DataFrame
    program: Program
    output: MatchOutput
    events: pa.Schema
    draw: Callable[..., Any] | None = field(default=None, repr=False, compare=False)

    def drawn_by(self, draw: Callable[..., Any]) -> SparkCompressedMatches:
        """Have the matches drawn by a function, which knows the query and its events."""
        return replace(self, draw=draw)

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Any:
        """Return a picture of the matches; the arguments are those of `cepheid.plot`.

        Raises:
            ConfigError: it is not the result of `Query.run`, which knows the events.
        """
        if self.draw is None:
            raise ConfigError(
                "this result does not know its events", hint="use cepheid.plot(query, events, …)"
            )
        return self.draw(title=title, begin=begin, end=end, value=value)

    def expand(self) -> DataFrame:
        """Return all matches, one row each."""
        schema = spark_schema(match_schema(self.program, self.output, self.events))
        return self._mapped(lambda matches: matches.batches(), schema)

    def count(self) -> int:
        """Return the number of matches; they are counted where the graphs are."""
        schema = spark_schema(COUNTS)
        return sum(int(row[0]) for row in self._mapped(_count, schema).collect())

    def first(self, count: int) -> DataFrame:
        """Return some matches, in no particular order."""
        return self.expand().limit(max(0, count))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield one match after the other as a dictionary."""
        return (row.asDict() for row in self.expand().toLocalIterator())

    def _mapped(
        self, function: Callable[[CompressedMatches], Iterator[pa.RecordBatch]], schema: Any
    ) -> DataFrame:
        program, output, events = self.program, self.output, self.events

        def map_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for data in batch.column(0):
                    table, ordered, graph = from_bytes(data.as_py())
                    yield from function(
                        CompressedMatches(program, output, table, events, ordered, graph)
                    )

        return self.graphs.select("graph").mapInArrow(map_batches, schema)


def _count(matches: CompressedMatches) -> Iterator[pa.RecordBatch]:
    """Counts can exceed 64 bits: they go as text."""
    yield pa.RecordBatch.from_pydict({"matches": [str(matches.count())]}, COUNTS)
