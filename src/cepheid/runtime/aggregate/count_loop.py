"""COUNT(*) of one repetition over a stream in order: no sorting, no steps, no ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.kernels.count_any import SegmentCounts
from cepheid.kernels.count_loop import LoopEvents, LoopPlaces, LoopRows, count_loop
from cepheid.kernels.predicate_code import AT_LEAST, AT_MOST, LESS, UNEQUAL
from cepheid.kernels.prefix_counts import LARGEST, WIDTH, Counts, lay_out
from cepheid.kernels.values import ValueRows
from cepheid.program.adjacent_program import Comparison, StructureCode
from cepheid.program.arrow_arrays import read_only, to_numpy
from cepheid.program.position_masks import position_masks
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.run_program import ColumnKind
from cepheid.runtime.aggregate.counted import values_of_counts
from cepheid.runtime.clock import SMALLEST, to_ticks
from cepheid.runtime.partition_codes import partition_codes

Int64s = NDArray[np.int64]
MOST_EVENTS = 2**16  # beyond, the general way has threads
MOST_PLACES = 2**16  # of all trees: they should stay in the cache
MOST_EMPTIED = 64  # places per event, when windows close: a tenth of a nanosecond each
FARTHEST = 2**62  # ticks: the end of a window must fit 64 bits


class CountedLoops(NamedTuple):
    """A row for every partition and window with events, and the row of its first event."""

    values: ValueRows
    row: Int64s


def count_loop_rows(
    program: Program, columns: Mapping[str, Any], length: int
) -> CountedLoops | None:
    """Return the counts without low words; None if it takes the general way.

    That is so for any other pattern, for floats and NULL, for numbers that lie far apart, if the
    events are many or not in order, if windows are short or overlap, and if counts grow large.
    """
    compared = _comparison(program)
    if compared is None or not 0 < length <= MOST_EVENTS:
        return None
    last, new = (_integers(program, each, columns) for each in (compared.last, compared.new))
    ticks = to_ticks(columns[program.time], program.time)
    if last is None or new is None or ticks[0] == SMALLEST:
        return None
    smallest = min(int(last.min()), int(new.min()))
    size = max(int(last.max()), int(new.max())) - smallest + 1
    partition, partitions = np.empty(0, np.int64), 1
    if size > MOST_PLACES:
        return None
    if program.partition_by:
        partition, is_member, partitions = partition_codes(columns, program.partition_by, length)
        if is_member.size or partitions * size > MOST_PLACES:
            return None
    window = program.window_length or 0
    if window and partitions * size > _most_places(ticks, window):
        return None
    fires = np.empty(0, np.uint64)
    if program.type_column is not None or program.tests[0].condition is not None:
        fires = position_masks(program, columns, length)[0]
    base = np.empty((1, partitions), np.int64)
    nodes = lay_out(np.full((1, partitions), size), base)
    none = np.empty((0, WIDTH), np.int64)
    numbers = np.empty((3, length), np.int64)
    rows = LoopRows(numbers[0], numbers[1], numbers[2], np.empty(length))
    count = count_loop(
        LoopEvents(*(read_only(each) for each in (ticks, partition, fires, last, new))),
        LoopPlaces(
            smallest,
            size,
            compared.operator in (LESS, AT_MOST),
            int(compared.operator in (AT_MOST, AT_LEAST)),
            base[0],
        ),
        window,
        LARGEST,
        Counts(np.zeros((nodes, WIDTH)), none, none, np.empty(0, np.int64)),
        np.full(partitions, -1),
        rows,
    )
    return None if count < 0 else _counted(LoopRows._make(each[:count] for each in rows))


def _most_places(ticks: Int64s, window: int) -> int:
    """Return how large trees may be that are emptied for every window."""
    first, last = int(ticks[0]), int(ticks[-1])
    if last < first or min(first, -last) <= -FARTHEST:
        return 0
    return MOST_EMPTIED * ticks.size // (last // window - first // window + 1)


def _comparison(program: Program) -> Comparison | None:
    """Return what neighbours compare, if there is one position, and nothing else to look at."""
    adjacent, automaton = program.adjacent, program.automaton
    if adjacent is None or automaton.edges != ((0, 0),) or len(automaton.follow) > 1:
        return None
    edge = adjacent.edges[0]
    compared = edge.comparison
    is_plain = (
        program.strategy is StrategyCode.SKIP_TILL_ANY
        and program.negation is None
        and program.pair is None
        and program.clock is Clock.TIME
        and program.window_length == program.slide  # both are None without windows
        and not program.order
        and not program.runs.exempt
        and not any(adjacent.tests[1:])
        and edge.structure is StructureCode.PREFIX_SUMS
        and not edge.last_conditions
        and not edge.new_conditions
    )
    if not is_plain or compared is None or compared.is_float or compared.operator == UNEQUAL:
        return None
    if compared.shift is not None:
        return None
    return compared


def _integers(program: Program, column: int, columns: Mapping[str, Any]) -> Int64s | None:
    """Return an attribute, if it has integers and no NULL."""
    about = program.runs.columns[column]
    if about.kind is not ColumnKind.INTEGER:
        return None
    values = columns[about.attribute]
    if values.null_count or not pa.types.is_signed_integer(values.type):
        return None
    return to_numpy(values).astype(np.int64, copy=False)


def _counted(rows: LoopRows) -> CountedLoops:
    none = np.zeros(rows.trends.size, np.int64)
    values = values_of_counts(SegmentCounts(rows.trends, none, none))
    return CountedLoops(
        ValueRows(rows.partition, rows.window, *(each[0] for each in values)), rows.first
    )
