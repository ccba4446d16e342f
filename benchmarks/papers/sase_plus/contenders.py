"""Cepheid and the baselines on one query and one stream.

All start at the same Arrow table in memory. Cepheid starts at the text of the query and ends with
an Arrow table; the baselines end with arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import cepheid
from benchmarks.contender import NotRunnableError
from benchmarks.papers.sase_plus.backtrack import backtrack
from benchmarks.papers.sase_plus.checksum import checksum
from benchmarks.papers.sase_plus.queries import ALL, COMPRESSED, NON_OVERLAPPING, Template
from benchmarks.papers.sase_plus.rules import Found
from benchmarks.papers.sase_plus.shared_runs import basic, merging
from benchmarks.papers.sase_plus.stream import partitions
from benchmarks.run_cepheid import require_executable

CEPHEID, CEPHEID_COMPRESSED = "Cepheid", "Cepheid, compressed"
BASIC, BACKTRACK, MERGING = "basic", "backtrack", "merging"
BASIC_MATCHING, MERGING_MATCHING = "basic, matching only", "merging, matching only"
BASIC_WITHOUT_BUFFER = "basic, without buffer"


@dataclass(frozen=True, slots=True)
class Task:
    """A query on a stream."""

    template: Template
    window: int
    table: pa.Table


@dataclass(frozen=True, slots=True)
class Answer:
    """How many matches and events in them there are, and their checksum; None if only counted."""

    matches: int
    events: int | None = None
    checksum: int | None = None

    def agrees(self, other: Answer) -> bool:
        """Whether two answers are equal in what both know."""
        if self.matches != other.matches:
            return False
        if self.checksum is None or other.checksum is None:
            return True
        return self.events == other.events and self.checksum == other.checksum


@dataclass(frozen=True, slots=True)
class Contender:
    """`run` is timed, `answer` is not."""

    name: str
    run: Callable[[], Any]
    answer: Callable[[Any], Answer]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A contender that cannot run, and why."""

    name: str
    reason: str


def by_cepheid(task: Task, *, is_apart: bool = False) -> Contender:
    """Return the engine; one row a match."""
    text = task.template.text(task.window, NON_OVERLAPPING if is_apart else ALL)
    return Contender(
        CEPHEID, lambda: cepheid.query(text).run(task.table, time="time"), _answer_of_rows
    )


def by_compressed_cepheid(task: Task) -> Contender | Skipped:
    """Return the engine with the graph of all matches as output, if it can run that."""
    text = task.template.text(task.window, COMPRESSED)
    try:
        require_executable(text)
    except NotRunnableError as error:
        return Skipped(CEPHEID_COMPRESSED, str(error))
    return Contender(
        CEPHEID_COMPRESSED,
        lambda: cepheid.query(text).run(task.table, time="time").count(),
        lambda count: Answer(int(count)),
    )


def by_basic(
    task: Task, *, is_apart: bool = False, constructs: bool = True, writes_buffer: bool = True
) -> Contender:
    """Return the basic algorithm, with or without match construction and buffer."""
    rule, name = task.template.rule(task.window), BASIC
    if not constructs:
        name = BASIC_MATCHING if writes_buffer else BASIC_WITHOUT_BUFFER
    return Contender(
        name,
        lambda: basic(partitions(task.table), rule, is_apart, constructs, writes_buffer),
        lambda found: _answer_of_arrays(found, constructs),
    )


def by_merging(task: Task, *, constructs: bool = True) -> Contender:
    """Return the basic algorithm with merging of equivalent runs."""
    rule = task.template.rule(task.window)
    return Contender(
        MERGING if constructs else MERGING_MATCHING,
        lambda: merging(partitions(task.table), rule, constructs, True),
        lambda found: _answer_of_arrays(found, constructs),
    )


def by_backtrack(task: Task, *, is_apart: bool = False) -> Contender:
    """Return the backtrack algorithm."""
    rule = task.template.rule(task.window)
    return Contender(
        BACKTRACK,
        lambda: backtrack(partitions(task.table), rule, is_apart, True),
        lambda found: _answer_of_arrays(found, True),
    )


def _answer_of_rows(rows: pa.Table) -> Answer:
    """The columns are the times of a[] and of every later variable."""
    repeated = rows.column(0).combine_chunks()
    ends = np.empty((rows.num_rows, rows.num_columns - 1), np.int64)
    for column in range(1, rows.num_columns):
        ends[:, column - 1] = rows.column(column).to_numpy()
    offsets, values = repeated.offsets.to_numpy().astype(np.int64), repeated.values.to_numpy()
    events = int(offsets[-1] - offsets[0]) + ends.size
    return Answer(rows.num_rows, events, int(checksum(offsets, values, ends)))


def _answer_of_arrays(found: Found, constructs: bool) -> Answer:
    if not constructs:
        return Answer(found.matches)
    ends = np.empty((found.matches, 0), np.int64)
    return Answer(found.matches, found.event.size, int(checksum(found.offsets, found.event, ends)))
