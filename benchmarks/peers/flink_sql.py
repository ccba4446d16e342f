"""Flink SQL's MATCH_RECOGNIZE in streaming mode, without what it costs to start.

One JVM runs the job on a part of the events to warm up, then twice on the same part and on all of
them, and the shorter times count. Their difference belongs to the events that only the longer job
reads. It is scaled to all events, so that events per second are Flink's marginal rate: planning the
query, starting the job and a cold JVM are not counted, reading the CSV file is.

MATCH_RECOGNIZE finds one match per first event here: A, the next B, and the next C after that. The
other rows of the id in between need variables of their own, because a pattern skips nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Contender, Timed
from benchmarks.peers import flink
from benchmarks.references import Answer
from benchmarks.workloads import csv_of

SOURCE = Path(__file__).parent / "FlinkSql.java"
PART = 5  # the shorter job reads a fifth
ROUNDS = 2
LEAST_EVENTS = 500_000  # of fewer, starting a job takes longer than reading them


@dataclass(frozen=True, slots=True)
class Question:
    """The columns of the file, the first of which is `ts`, and the query."""

    columns: str
    query: str


W1_NEXT = Question(
    "ts BIGINT, etype STRING, id BIGINT, v BIGINT",
    """
    SELECT COUNT(*), SUM(id), SUM(a_ts), SUM(b_ts), SUM(c_ts)
    FROM (SELECT * FROM events WHERE etype IN ('A', 'B', 'C'))
    MATCH_RECOGNIZE (
        PARTITION BY id
        ORDER BY row_time
        MEASURES A.ts AS a_ts, B.ts AS b_ts, C.ts AS c_ts
        ONE ROW PER MATCH
        AFTER MATCH SKIP TO NEXT ROW
        PATTERN (A NOT_B* B NOT_C* C) WITHIN INTERVAL '1.001' SECOND
        DEFINE
            A AS A.etype = 'A',
            NOT_B AS NOT_B.etype <> 'B',
            B AS B.etype = 'B',
            NOT_C AS NOT_C.etype <> 'C',
            C AS C.etype = 'C'
    )
    """,
)
W4 = Question(
    "ts BIGINT, etype STRING, mapper BIGINT, cpu BIGINT",
    """
    SELECT COUNT(*), SUM(total)
    FROM events
    MATCH_RECOGNIZE (
        PARTITION BY mapper
        ORDER BY row_time
        MEASURES SUM(L.cpu) AS total
        ONE ROW PER MATCH
        AFTER MATCH SKIP TO NEXT ROW
        PATTERN (S L+ E)
        DEFINE
            S AS S.etype = 'S',
            L AS L.etype = 'L' AND (LAST(L.cpu, 1) IS NULL OR L.cpu > LAST(L.cpu, 1)),
            E AS E.etype = 'E'
    )
    """,
)


def flink_sql(question: Question, *, name: str = "Flink SQL, marginal") -> Contender:
    """Return the contender for W1_NEXT or W4."""
    return Contender(
        name,
        lambda path: _run(question, path),
        _answer,
        flink.ready,
        own_process=True,
        least_events=LEAST_EVENTS,
    )


def _run(question: Question, path: Path) -> Timed:
    whole = csv_of(path)
    part, share = _part_of(whole)
    parallelism = str(os.cpu_count() or 1)
    files = map(str, (part, *(part, whole) * ROUNDS))
    result = flink.run_java(SOURCE, [question.columns, question.query, parallelism, *files])
    _, *seconds = result["seconds"]
    scaled = [each / (1 - share) for each in seconds]
    return Timed(tuple(result["answer"]), min(scaled[1::2]), min(scaled[::2]))


def _part_of(whole: Path) -> tuple[Path, float]:
    """Return a file of the first events, and which share of all events it has."""
    lines = whole.read_bytes().splitlines(keepends=True)
    count = len(lines) // PART
    part = whole.with_suffix(f".first-{count}.csv")
    if not part.exists():
        unfinished = part.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(b"".join(lines[:count]))
        unfinished.replace(part)
    return part, count / len(lines)


def _answer(result: Answer) -> Answer:
    return result
