"""Cepheid and the algorithms of SASE, from an Arrow table to an Arrow table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.baselines.bit_stack import bit_stack
from benchmarks.papers.baselines.compiled import Ints, States
from benchmarks.papers.baselines.instance_stacks import (
    DYNAMIC_FILTERING,
    NO_TEST,
    SELECTION,
    instance_stacks,
)
from benchmarks.papers.baselines.joins import joins
from benchmarks.papers.baselines.multi_stacks import multi_stacks
from benchmarks.papers.baselines.runtime_stack import runtime_stack
from benchmarks.papers.race import Answer, Contender
from benchmarks.papers.sase_stream import Workload


@dataclass(frozen=True, slots=True)
class Arrays:
    """The columns that a baseline reads."""

    state: States
    time: Ints
    zeros: Ints
    attributes: tuple[Ints, ...]


Baseline = Callable[[Arrays], tuple[Ints, int]]


def engine(workload: Workload) -> Contender:
    """Return the engine: parse, plan and run the query."""

    def run(events: pa.Table) -> Answer:
        found = cepheid.query(workload.query).run(events, time="time", type="type")
        return Answer(found)

    return run


def basic(workload: Workload) -> Contender:
    """Return Basic, without equivalence tests."""
    length, window = workload.length, workload.window
    return _contender(
        workload, lambda arrays: runtime_stack(arrays.state, arrays.time, length, window)
    )


def basic_with_bits(workload: Workload) -> Contender:
    """Return Basic with its states as bits, without equivalence tests."""
    length, window = workload.length, workload.window
    return _contender(workload, lambda arrays: bit_stack(arrays.state, arrays.time, length, window))


def active_instances(workload: Workload) -> Contender:
    """Return AIS; an equivalence test is evaluated in Selection."""
    return _stacks(workload, partitioned=False, test=SELECTION if workload.values else NO_TEST)


def partitioned(
    workload: Workload, *, in_scan: bool = True, in_construction: bool = True
) -> Contender:
    """Return PAIS, with Dynamic Filtering for a second equivalence test: SASE as configured."""
    return _stacks(
        workload,
        partitioned=True,
        test=DYNAMIC_FILTERING if len(workload.values) > 1 else NO_TEST,
        in_scan=in_scan,
        in_construction=in_construction,
    )


def partitioned_with_selection(workload: Workload) -> Contender:
    """Return PAIS with the second equivalence test in Selection."""
    return _stacks(workload, partitioned=True, test=SELECTION)


def multi_partitioned(workload: Workload) -> Contender:
    """Return Multi-PAIS for two equivalence tests."""
    first_values, second_values = (count + 1 for count in workload.values)  # 0 is not used
    length, window = workload.length, workload.window
    return _contender(
        workload,
        lambda arrays: multi_stacks(
            arrays.state,
            arrays.time,
            arrays.attributes[0],
            arrays.attributes[1],
            first_values,
            second_values,
            length,
            window,
        ),
    )


def relational(workload: Workload) -> Contender:
    """Return the n-way join of a relational stream processor."""
    has_second = len(workload.values) > 1
    length, window = workload.length, workload.window
    return _contender(
        workload,
        lambda arrays: joins(
            arrays.state,
            arrays.time,
            arrays.attributes[0],
            arrays.attributes[1] if has_second else arrays.zeros,
            workload.values[0] + 1,
            length,
            window,
            has_second,
        ),
    )


def _stacks(
    workload: Workload,
    *,
    partitioned: bool,
    test: int,
    in_scan: bool = True,
    in_construction: bool = True,
) -> Contender:
    length, window = workload.length, workload.window

    def baseline(arrays: Arrays) -> tuple[Ints, int]:
        columns = arrays.attributes if partitioned else (arrays.zeros, *arrays.attributes)
        return instance_stacks(
            arrays.state,
            arrays.time,
            columns[0],
            columns[1] if len(columns) > 1 else arrays.zeros,
            workload.values[0] + 1 if partitioned else 1,
            length,
            window,
            test,
            in_scan,
            in_construction,
        )

    return _contender(workload, baseline)


def _contender(workload: Workload, baseline: Baseline) -> Contender:
    def run(events: pa.Table) -> Answer:
        arrays = _arrays(events, workload)
        positions, built = baseline(arrays)
        times = arrays.time[positions]
        names = [f"e{place}.time" for place in range(1, workload.length + 1)]
        columns = [
            pa.array(np.ascontiguousarray(times[:, place])) for place in range(times.shape[1])
        ]
        return Answer(pa.table(columns, names=names), built)

    return run


def _arrays(events: pa.Table, workload: Workload) -> Arrays:
    types = events.column("type").chunk(0)
    pattern = pa.array([f"E{place}" for place in range(1, workload.length + 1)])
    place_by_code = pc.fill_null(pc.index_in(types.dictionary, pattern), -1).to_numpy()
    return Arrays(
        place_by_code.astype(np.int8)[types.indices.to_numpy()],
        events.column("time").chunk(0).to_numpy(),
        np.zeros(len(types), np.int64),
        tuple(events.column(name).chunk(0).to_numpy() for name in workload.attributes),
    )
