"""What a type checker must say of results; `test_types.py` has mypy check this file.

A line that must be wrong has a `type: ignore` with its code: mypy tells if it is not needed.
"""

from os import PathLike
from typing import assert_type, cast

import pandas as pd
import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame

import cepheid
from cepheid import Events, WorkloadResults

query = cepheid.query("PATTERN A a")
together = cepheid.workload([query])


def of_arrow(table: pa.Table, batch: pa.RecordBatch) -> None:
    assert_type(query.run(table, time="ts"), pa.Table)
    assert_type(query.run({"A": table}, time="ts"), pa.Table)
    assert_type(query.run(batch, time="ts"), pa.Table)
    assert_type(query.run({"A": batch}, time="ts"), pa.Table)
    assert_type(query.batches(table, time="ts"), pa.RecordBatchReader)
    assert_type(together.run(table, time="ts"), WorkloadResults[pa.Table])
    assert_type(together.run(batch, time="ts"), WorkloadResults[pa.Table])
    assert_type(together.analyze(table, time="ts").results, dict[str, pa.Table])
    assert_type(together.analyze(batch, time="ts").results, dict[str, pa.Table])
    events = cepheid.events(table, time="ts")
    assert_type(events, Events[pa.Table])
    assert_type(cepheid.events(batch, time="ts"), Events[pa.Table])
    assert_type(query.run(events), pa.Table)
    assert_type(query.batches(events), pa.RecordBatchReader)
    assert_type(together.run(events), WorkloadResults[pa.Table])
    assert_type(together.run(events)["q1"], pa.Table)
    assert_type(together.run(events).get("q1"), pa.Table | None)
    assert_type(list(together.run(events).values()), list[pa.Table])
    assert_type(dict(together.run(events).items()), dict[str, pa.Table])


def of_pandas(table: pd.DataFrame) -> None:
    assert_type(query.run(table, time="ts"), pd.DataFrame)
    assert_type(query.run({"A": table}, time="ts"), pd.DataFrame)
    assert_type(together.run(table, time="ts"), WorkloadResults[pd.DataFrame])
    assert_type(together.analyze(table, time="ts").results, dict[str, pd.DataFrame])
    events = cepheid.events(table, time="ts", type="kind", order=["seq"])
    assert_type(events, Events[pd.DataFrame])
    assert_type(query.run(events, cepheid.Batch(limit=3)), pd.DataFrame)
    assert_type(query.run(events, limit=3), pd.DataFrame)
    assert_type(query.run(cepheid.events({"A": table}, time="ts")), pd.DataFrame)
    assert_type(together.run(events, sharing="never"), WorkloadResults[pd.DataFrame])
    assert_type(together.analyze(events).results["q1"], pd.DataFrame)
    assert_type(query.explain(events), str)
    assert_type(together.explain(events), str)


def of_polars(table: pl.DataFrame) -> None:
    assert_type(query.run(table, time="ts"), pl.DataFrame)
    assert_type(query.run({"A": table}, time="ts"), pl.DataFrame)
    assert_type(query.run(cepheid.events(table, time="ts")), pl.DataFrame)
    assert_type(together.run(cepheid.events(table, time="ts")), WorkloadResults[pl.DataFrame])


def of_spark(frame: DataFrame) -> None:
    assert_type(query.run(frame, time="ts"), DataFrame)
    assert_type(query.run({"A": frame}, time="ts", watermark="1 minute"), DataFrame)
    streaming = cepheid.Streaming(watermark="1 minute", buckets=32)
    assert_type(query.run(frame, streaming, time="ts"), DataFrame)
    events = cepheid.events(frame, time="ts")
    assert_type(query.run(events, streaming), DataFrame)
    assert_type(together.run(events, streaming), WorkloadResults[DataFrame])
    assert_type(together.stream(events, streaming).rows, DataFrame)
    assert_type(together.stream(frame, time="ts", ordered=True).rows, DataFrame)
    assert_type(cepheid.query_folder("queries").stream(events, keys="k"), DataFrame)


def of_paths(path: PathLike[str]) -> None:
    assert_type(query.run("events.parquet", time="ts"), pa.Table)
    assert_type(query.run(path, time="ts"), pa.Table)
    assert_type(together.run(path, time="ts"), WorkloadResults[pa.Table])
    assert_type(together.analyze(path, time="ts").results, dict[str, pa.Table])
    assert_type(query.run(cepheid.events(path, time="ts")), pa.Table)


def of_other_forms(table: pd.DataFrame, stream: DataFrame) -> None:
    compressed = cast("cepheid.Compressed[pd.DataFrame]", query.run(table, time="ts"))
    assert_type(compressed.expand(), pd.DataFrame)
    assert_type(compressed.first(10), pd.DataFrame)
    assert_type(compressed.count(), int)
    both = cast("cepheid.ResultsWithLate", query.run(stream, time="ts", late="deliver"))
    assert_type(both.results, DataFrame)
    assert_type(both.late, DataFrame)


def mistakes(table: pd.DataFrame) -> None:
    events = cepheid.events(table, time="ts")
    query.run(table)  # type: ignore[call-overload]
    query.run(events, time="ts")  # type: ignore[call-overload]
    query.run(table, time="ts", watermarks=3)  # type: ignore[call-overload]
    query.run(3, time="ts")  # type: ignore[call-overload]
    query.run(events, {"limit": 3})  # type: ignore[call-overload]
    query.explain(table)  # type: ignore[arg-type]
    cepheid.events(table)  # type: ignore[call-overload]
    cepheid.Batch(limit="3")  # type: ignore[arg-type]
    cepheid.Batch(watermark=3)  # type: ignore[call-arg]
    together.stream(table, time="ts")  # type: ignore[arg-type]
