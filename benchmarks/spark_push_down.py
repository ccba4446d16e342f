"""What push-down saves on Spark. Timed: from the Parquet file to an Arrow table in the driver.

The same query three times: as it is; with a filter by type alone, which keeps every event that
breaks contiguity as it is; and with all events handed to Python. The engine drops there what Spark
did not, so the answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.workloads import W1_DENSE

SELECTIVE = """
PATTERN SEQ(A a, B b, C c)
WHERE [id] AND a.v < 100 AND b.v < 100 AND c.v < 100
WITHIN 1001
RETURN a.id, a.ts, b.ts, c.ts
"""
CONTIGUOUS = "PATTERN SEQ(A a, B b) SEMANTICS contiguous WHERE [id] RETURN a.id, a.ts, b.ts, b.v"


def _types_only(program: Any, frame: Any) -> Any:
    return frame if program.keeps_all_types else frame.filter(frame.etype.isin(*program.types))


def _nothing(program: Any, frame: Any) -> Any:
    return frame


def _cepheid(text: str, push_down: Callable[[Any, Any], Any] | None) -> Callable[[Path], pa.Table]:
    """Run with Cepheid's own push-down or another one."""

    def run(path: Path) -> pa.Table:
        import cepheid
        from cepheid.runtime.spark import batch

        usual = batch.drop_or_bare
        batch.drop_or_bare = push_down or usual
        try:
            result = cepheid.query(text).run(events_of(path), time="ts", type="etype")
        finally:
            batch.drop_or_bare = usual
        return result.toArrow()

    return run


def _benchmark(name: str, question: str, text: str, reference: Any) -> Benchmark:
    return Benchmark(
        name=name,
        question=question,
        workload=W1_DENSE,
        events=1_000_000,
        reference=reference,
        contenders=(
            spark_contender("Cepheid on Spark", _cepheid(text, None)),
            spark_contender("types pushed down only", _cepheid(text, _types_only)),
            spark_contender("nothing pushed down", _cepheid(text, _nothing)),
        ),
        baseline="Cepheid on Spark",
        around=session,
        counts_cpu=False,
    )


SPARK_PUSH_DOWN = (
    _benchmark(
        "spark-push-down",
        "SEQ(A, B, C) of one id within 1000, where one in ten satisfies v < 100; 20 types",
        SELECTIVE,
        references.w1_below_100,
    ),
    _benchmark(
        "spark-break-marks",
        "contiguous SEQ(A, B) of one id; 20 types, so that most events are break marks",
        CONTIGUOUS,
        references.neighbours,
    ),
)
