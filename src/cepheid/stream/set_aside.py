"""Events that cannot be placed in time: too far ahead of the clock, or without a time or order."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.order_events import extreme_times, is_derived
from cepheid.engine.events.ticks import to_ticks
from cepheid.errors import DataError
from cepheid.program.arrow_arrays import to_arrow, to_numpy, to_scalar
from cepheid.program.program import Program
from cepheid.stream.guards import REASON, Guards

Booleans = NDArray[np.bool_]
MOST_SHOWN = 200  # characters of an event in an error


class Reason(IntEnum):
    """Why an event has no part in results."""

    LATE = 1
    AHEAD = 2
    NO_TIME = 3
    NO_ORDER = 4
    EXTREME = 5


IN_WORDS = {
    Reason.LATE: "late",
    Reason.AHEAD: "ahead of the clock",
    Reason.NO_TIME: "no time",
    Reason.NO_ORDER: "no order key",
    Reason.EXTREME: "time out of range",
}


class Parted(NamedTuple):
    """Events that have a place in time, and those that were set aside, with their reasons."""

    events: pa.Table
    aside: pa.Table


def set_aside(program: Program, arrived: pa.Table, guards: Guards) -> Parted:
    """Take events apart.

    Raises:
        DataError: an event is bad, and nobody has said what is to be done with such events.
    """
    reasons = np.zeros(arrived.num_rows, np.int8)
    missing = _is_null(arrived, program.time)
    reasons[missing] = Reason.NO_TIME
    derived = is_derived(program, dict(zip(arrived.column_names, arrived.columns, strict=True)))
    for name in program.order:  # results of other queries need none
        without = _is_null(arrived, name) & ~missing
        if derived is not None:
            without &= ~to_numpy(pc.fill_null(derived, False))
        reasons[without] = Reason.NO_ORDER
    if not guards.takes_bad and reasons.any():
        raise _bad_event(program, arrived, reasons)
    placed = np.flatnonzero(~missing)
    timed = arrived if placed.size == missing.size else arrived.take(to_arrow(placed))
    ticks = to_ticks(timed[program.time], program.time)
    if guards.ahead_from is not None:
        reasons[placed[ticks >= guards.ahead_from]] = Reason.AHEAD
    if guards.takes_bad:
        reasons[placed[extreme_times(program, ticks)]] = Reason.EXTREME
    if not reasons.any():
        return Parted(arrived, _with_reasons(arrived.slice(0, 0), reasons[:0]))
    is_aside = reasons != 0
    aside = _with_reasons(arrived.filter(to_arrow(is_aside)), reasons[is_aside])
    return Parted(arrived.filter(to_arrow(~is_aside)), aside)


def with_late(late: pa.Table, aside: pa.Table, *, with_bad: bool) -> pa.Table:
    """Return late events and those that were set aside in one table, all with reasons."""
    reasons = np.full(late.num_rows, Reason.LATE, np.int8)
    if not with_bad and aside.num_rows:
        aside = aside.filter(pc.equal(aside[REASON], to_scalar(IN_WORDS[Reason.AHEAD])))
    return pa.concat_tables([_with_reasons(late, reasons), aside])


def _with_reasons(events: pa.Table, reasons: NDArray[np.int8]) -> pa.Table:
    words = pa.array((IN_WORDS[Reason(each)] for each in reasons.tolist()), pa.string())
    return events.append_column(REASON, words)


def _is_null(events: pa.Table, name: str) -> Booleans:
    column = events[name]
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    return np.array(to_numpy(pc.is_null(column)))


def _missing_column(program: Program, arrived: pa.Table, row: int) -> str:
    names = (program.time, *program.order)
    return next(f"'{each}'" for each in names if not arrived[each][row].is_valid)


def _bad_event(program: Program, arrived: pa.Table, reasons: NDArray[np.int8]) -> DataError:
    row = int(np.argmax(reasons != 0))
    event = str(arrived.slice(row, 1).to_pylist()[0])
    shown = event if len(event) <= MOST_SHOWN else f"{event[:MOST_SHOWN]} …"
    return DataError(
        f"an event has {IN_WORDS[Reason(int(reasons[row]))]}, and so no place in the stream; "
        f"{_missing_column(program, arrived, row)} is NULL: {shown}",
        hint=f"{np.count_nonzero(reasons)} of {reasons.size} events here are so; bad='drop' counts "
        "and drops them, bad='deliver' gives them with late events and the reason",
    )
