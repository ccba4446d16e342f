"""W1 with keys that have other names in other types, next to `[id]`: the same matches.

Timed: in process from an Arrow table to a table of matches, on Spark as in `benchmarks/spark_w4.py`
and `benchmarks/spark_stream.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.references import summarize
from benchmarks.run_cepheid import PACKAGES, require_executable
from benchmarks.spark_stream import few_tasks, packed, stream_contender, timed_stream
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import JOIN_KEYS as WORKLOAD

ONE_NAME = "[id]"
SEVERAL_NAMES = "a.id = b.b_id AND b.b_id = c.c_id"
Contend = Callable[[str, str], Contender]


def _text(condition: str) -> str:
    return f"{QUERY} {RETURNED}".replace(ONE_NAME, condition)


def _ask(text: str, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(text).run(events_in_memory(path), time="ts", type="etype")


def _ask_spark(text: str, path: Path) -> pa.Table:
    import cepheid

    return cepheid.query(text).run(events_of(path), time="ts", type="etype").toArrow()


def _in_process(name: str, text: str) -> Contender:
    run = functools.partial(_ask, text)
    return Contender(name, run, summarize, lambda: require_executable(text), packages=PACKAGES)


def _on_spark(name: str, text: str) -> Contender:
    return spark_contender(name, functools.partial(_ask_spark, text))


def _on_a_stream(name: str, text: str) -> Contender:
    return stream_contender(name, timed_stream(text, packed), summarize)


def _benchmark(name: str, where: str, contend: Contend, who: str, **options: Any) -> Benchmark:
    conditions = {f"{who}, one name": ONE_NAME, who: SEVERAL_NAMES}
    return Benchmark(
        name=name,
        question=f"W1 {where}, joined by keys of three names; 3 types, 1000 ids",
        workload=WORKLOAD,
        events=200_000,
        reference=references.w1,
        contenders=tuple(contend(each, _text(one)) for each, one in conditions.items()),
        baseline=next(iter(conditions)),
        **options,
    )


JOIN_KEYS = (
    _benchmark("join-keys", "in process", _in_process, "Cepheid"),
    _benchmark(
        "spark-join-keys",
        "on local Spark",
        _on_spark,
        "Cepheid on Spark",
        around=session,
        counts_cpu=False,
    ),
    _benchmark(
        "stream-join-keys",
        "in a micro-batch of a stream",
        _on_a_stream,
        "Cepheid on Spark",
        around=few_tasks,
        counts_cpu=False,
    ),
)
