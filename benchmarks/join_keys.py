"""Keys that have other names in other types, or two names in one type, next to `[id]`.

The matches are the same: those of W1, and pairs of an event and its children. Where one type has
two keys, every event belongs to two partitions.

Timed: in process from an Arrow table to a table of matches, on Spark as in `benchmarks/spark_w4.py`
and `benchmarks/spark_stream.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from benchmarks import references
from benchmarks.contender import Benchmark, Contender
from benchmarks.in_memory import events_in_memory
from benchmarks.on_spark import events_of, session, spark_contender
from benchmarks.references import Answer, summarize
from benchmarks.run_cepheid import PACKAGES, require_executable
from benchmarks.spark_stream import few_tasks, packed, stream_contender, timed_stream
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import JOIN_KEYS, TWO_KEYS, Workload

Contend = Callable[[str, str], Contender]


class Question(NamedTuple):
    """A query with one name of the key, one with several, and the answer of both."""

    words: str
    workload: Workload
    one_name: str
    several_names: str
    reference: Callable[[Path], Answer]


SEVERAL_TYPES = Question(
    "W1 {}, joined by keys of three names; 3 types, 1000 ids",
    JOIN_KEYS,
    f"{QUERY} {RETURNED}",
    f"{QUERY} {RETURNED}".replace("[id]", "a.id = b.b_id AND b.b_id = c.c_id"),
    references.w1,
)
ENDING = "WITHIN 1001 RETURN a.id, a.ts, b.ts"
ONE_TYPE = Question(
    "events and their children {}, where one type has two keys; 1000 ids",
    TWO_KEYS,
    f"PATTERN SEQ(A a, ANY(B, C) b) WHERE [id] {ENDING}",
    f"PATTERN SEQ(ANY(A, B, C) a, ANY(A, B, C) b) WHERE a.pid = b.parent {ENDING}",
    references.children,
)


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


def _benchmark(
    name: str, question: Question, where: str, contend: Contend, **options: Any
) -> Benchmark:
    who = "Cepheid" if contend is _in_process else "Cepheid on Spark"
    texts = {f"{who}, one name": question.one_name, who: question.several_names}
    return Benchmark(
        name=name,
        question=question.words.format(where),
        workload=question.workload,
        events=200_000,
        reference=question.reference,
        contenders=tuple(contend(each, text) for each, text in texts.items()),
        baseline=next(iter(texts)),
        **options,
    )


def _three(name: str, question: Question) -> tuple[Benchmark, ...]:
    spark: dict[str, Any] = {"around": session, "counts_cpu": False}
    stream: dict[str, Any] = {"around": few_tasks, "counts_cpu": False}
    in_batch = "in a micro-batch of a stream"
    return (
        _benchmark(name, question, "in process", _in_process),
        _benchmark(f"spark-{name}", question, "on local Spark", _on_spark, **spark),
        _benchmark(f"stream-{name}", question, in_batch, _on_a_stream, **stream),
    )


KEYS_OF_SEVERAL_NAMES = (*_three("join-keys", SEVERAL_TYPES), *_three("two-keys", ONE_TYPE))
