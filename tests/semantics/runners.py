"""The runners that every example must agree on."""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any, Protocol

import pyarrow as pa

import cepheid
from cepheid.testing import events
from tests.semantics.examples import Example, Row

ROLES = {"time": "time", "type": "type"}


class Runner(Protocol):
    """Runs examples in one way."""

    def start(self, example: Example) -> Any:
        """Return the result in the runner's own form; an unsupported query is refused here."""

    def rows(self, example: Example) -> Sequence[Row]:
        """Return the rows of one of the runner's examples."""


def table_of(stream: str) -> pa.Table:
    """Return the events of a short string; attributes that one does not mention are NULL."""
    listed = events(stream)
    names = dict.fromkeys(name for event in listed for name in event)
    return pa.table({name: [event.get(name) for event in listed] for name in names})


class Local:
    """Arrow in this process."""

    def start(self, example: Example) -> pa.Table:
        query = cepheid.query(example.query)
        return query.run(table_of(example.stream), **ROLES, schemas=example.schemas)

    def rows(self, example: Example) -> Sequence[Row]:
        return self.start(example).to_pylist()


class SparkBatch:
    """Spark, in one job for all examples: each would cost a second by itself."""

    def __init__(self, examples: Sequence[Example]) -> None:
        from tests.spark.session import spark_session

        self.spark = spark_session()
        self.found = self._run(examples)

    def start(self, example: Example) -> Any:
        frame = self.spark.createDataFrame(table_of(example.stream).to_pandas())
        return cepheid.query(example.query).run(frame, **ROLES, schemas=example.schemas)

    def rows(self, example: Example) -> Sequence[Row]:
        return self.found[example.title]

    def _run(self, examples: Sequence[Example]) -> dict[str, list[Row]]:
        from pyspark.sql import DataFrame
        from pyspark.sql import functions as F

        everything = self._everything(examples)
        frames = []
        for number, example in enumerate(examples):
            columns = table_of(example.stream).column_names
            frame = everything.filter(F.col("example") == number).select(*columns)
            result = cepheid.query(example.query).run(frame, **ROLES, schemas=example.schemas)
            text = F.to_json(F.struct(*result.columns), {"ignoreNullFields": "false"})
            frames.append(result.select(F.lit(example.title).alias("title"), text.alias("text")))
        found: dict[str, list[Row]] = {example.title: [] for example in examples}
        while len(frames) > 1:  # a balanced tree: Spark plans a deep chain of unions slowly
            pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
            frames = [reduce(DataFrame.unionAll, each) for each in pairs]
        for row in frames[0].collect():
            found[row["title"]].append(json.loads(row["text"]))
        return found

    def _everything(self, examples: Sequence[Example]) -> Any:
        import pandas as pd

        tables = [
            table_of(example.stream).append_column(
                "example", pa.array([number] * len(events(example.stream)))
            )
            for number, example in enumerate(examples)
        ]
        united = pa.concat_tables(tables, promote_options="permissive")
        frame = united.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
        return self.spark.createDataFrame(frame).coalesce(1).cache()
