"""What push-down saves on Spark. Timed: from the Parquet file to an Arrow table in the driver.

The same query with and without: with a filter by type alone, and with all events handed to Python,
where the engine drops what Spark did not; so the answers are the same. `spark-marks-…` compares
break marks that are bare with marks that keep their columns.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.references import Answer, summarize
from benchmarks.workloads import W1_DENSE, W1_WIDE, Workload

SELECTIVE = """
PATTERN SEQ(A a, B b, C c)
WHERE [id] AND a.v < 100 AND b.v < 100 AND c.v < 100
WITHIN 1001
RETURN a.id, a.ts, b.ts, c.ts
"""
CONTIGUOUS = "PATTERN SEQ(A a, B b) SEMANTICS contiguous WHERE [id] RETURN a.id, a.ts, b.ts"


def _types_only(programs: Any, frame: Any, *, keeps_types: bool) -> Any:
    return frame.filter(frame.etype.isin(*programs[0].types))


def _nothing(programs: Any, frame: Any, *, keeps_types: bool) -> Any:
    return frame


def _cepheid(text: str, push_down: Callable[..., Any] | None) -> Callable[[Path], pa.Table]:
    """Run with Cepheid's own push-down or another one."""

    def run(path: Path) -> pa.Table:
        import cepheid
        from cepheid.spark.batch import run_batch as batch

        usual = batch.drop_or_bare_for_all
        batch.drop_or_bare_for_all = push_down or usual
        try:
            result = cepheid.query(text).run(events_of(path), time="ts", type="etype")
        finally:
            batch.drop_or_bare_for_all = usual
        return result.toArrow()

    return run


def _answer_of_numbers(result: pa.Table) -> Answer:
    return summarize(result.select(["a_id", "a_ts", "b_ts"]))


def _benchmark(
    name: str, question: str, workload: Workload, reference: Any, contenders: tuple[Contender, ...]
) -> Benchmark:
    return Benchmark(
        name=name,
        question=question,
        workload=workload,
        events=1_000_000,
        reference=reference,
        contenders=contenders,
        baseline="Cepheid on Spark",
        around=session,
        counts_cpu=False,
    )


def _marks(name: str, rows: str, workload: Workload, column: str) -> Benchmark:
    text = f"{CONTIGUOUS}, {column}"
    return _benchmark(
        name,
        f"contiguous SEQ(A, B) of one id in {rows} rows; 20 types, so that most events are marks",
        workload,
        references.neighbours,
        (
            spark_contender("Cepheid on Spark", _cepheid(text, None), _answer_of_numbers),
            spark_contender("marks with all columns", _cepheid(text, _nothing), _answer_of_numbers),
        ),
    )


SPARK_PUSH_DOWN = (
    _benchmark(
        "spark-push-down",
        "SEQ(A, B, C) of one id within 1000, where one in ten satisfies v < 100; 20 types",
        W1_DENSE,
        references.w1_below_100,
        (
            spark_contender("Cepheid on Spark", _cepheid(SELECTIVE, None)),
            spark_contender("types pushed down only", _cepheid(SELECTIVE, _types_only)),
            spark_contender("nothing pushed down", _cepheid(SELECTIVE, _nothing)),
        ),
    ),
    _marks("spark-marks-narrow", "narrow", W1_DENSE, "b.v"),
    _marks("spark-marks-wide", "wide", W1_WIDE, "b.note"),
)
