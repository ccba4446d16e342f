"""The level of every key, and what all of them come to, from the runs that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.funnels.step_queries import LEVEL, TIME
from cepheid.program.numeric_times import has_digits


@dataclass(frozen=True, slots=True)
class Reached:
    """How many keys reached a step, and how long that took after the step before, as a median."""

    keys: int
    seconds: float | None


def level_table(runs: Sequence[pa.Table], keys: Sequence[str]) -> pa.Table:
    """Return a row for every key: its level, and the times of its steps.

    `runs` has a table for every level, with a row for each of the runs that got so far.
    """
    times = [f"{TIME}_{place}" for place in range(1, len(runs) + 1)]
    kind = runs[-1].schema.field(times[-1]).type
    deepest: pa.Table | None = None
    for level, table in reversed(list(enumerate(runs, 1))):
        ordered = _without_dictionaries(table).sort_by(
            [(times[level - 1], "ascending"), (times[0], "ascending")]
        )
        padded = ordered.append_column(LEVEL, pa.repeat(pa.scalar(level, pa.int32()), len(ordered)))
        for each in times[level:]:
            padded = padded.append_column(each, pa.nulls(len(padded), kind))
        padded = padded.select([*keys, LEVEL, *times])
        deepest = padded if deepest is None else pa.concat_tables([deepest, padded])
    assert deepest is not None
    wanted = [(each, "first") for each in (LEVEL, *times)]
    options = pc.ScalarAggregateOptions(skip_nulls=False)
    grouped = deepest.group_by(list(keys), use_threads=False).aggregate(
        [(name, how, options) for name, how in wanted]
    )
    names = [*keys, *(f"{name}_{how}" for name, how in wanted)]
    found = grouped.select(names).rename_columns([*keys, LEVEL, *times])
    return found.sort_by([(each, "ascending") for each in keys])


def reached_steps(levels: pa.Table, count: int, ticks_per_second: int | Fraction) -> list[Reached]:
    """Return what the levels of all keys come to, for every step."""
    found = [Reached(pc.sum(pc.greater_equal(levels[LEVEL], 1)).as_py() or 0, None)]
    for place in range(2, count + 1):
        before, after = (_ticks(levels[f"{TIME}_{each}"]) for each in (place - 1, place))
        passed = pc.drop_null(pc.subtract(after, before))
        median = pc.quantile(passed, q=0.5)[0].as_py()
        seconds = None if median is None else float(median / ticks_per_second)
        found.append(Reached(len(passed), seconds))
    return found


def _ticks(column: Any) -> Any:
    if has_digits(column.type):
        return pc.cast(column, pa.float64())
    days = pa.types.is_date32(column.type)
    return pc.cast(pc.cast(column, pa.timestamp("s")) if days else column, pa.int64())


def _without_dictionaries(table: pa.Table) -> pa.Table:
    """Return a table whose keys are plain values, which can be put together and grouped."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            plain = pc.cast(table.column(place), field.type.value_type)
            table = table.set_column(place, field.name, plain)
    return table
