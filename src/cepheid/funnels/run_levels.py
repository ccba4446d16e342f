"""The queries of a funnel, run where the events are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cepheid.engine.events.event_schema import ticks_per_second, units_per_second
from cepheid.funnels.reached_levels import Reached, level_table, reached_steps
from cepheid.funnels.step_queries import TIME, FunnelDefinition
from cepheid.program.numeric_times import has_digits
from cepheid.tables.table_kinds import TableKind, from_arrow, kind_of, to_arrow

if TYPE_CHECKING:
    from cepheid.events import Events
    from cepheid.plan.run_options import Batch
    from cepheid.workload import Workload

Levels = tuple[Any, Callable[[], Sequence[Reached]]]


def run_levels(
    definition: FunnelDefinition, queries: Workload, events: Events[Any], options: Batch
) -> Levels:
    """Return the level of every key as a table of the events' kind, and how to count them."""
    results = list(queries.run(events, options).values())
    kind = kind_of(results[0])
    keys, roles = definition.keys, events.roles
    if kind is TableKind.SPARK:
        return _on_spark(results, keys, float(units_per_second(roles)))
    found = level_table([to_arrow(each, kind) for each in results], keys)
    time = found.schema.field(f"{TIME}_1").type
    ticks = units_per_second(roles) if has_digits(time) else ticks_per_second(time, roles)
    count = partial(reached_steps, found, len(results), ticks)
    return from_arrow(found, kind), count


def _on_spark(results: Sequence[Any], keys: Sequence[str], ticks: float) -> Levels:
    from cepheid.spark.batch.funnel_levels import level_frame, reached_rows

    times = [f"{TIME}_{place}" for place in range(1, len(results) + 1)]
    frame = level_frame(results, keys, times)

    def count() -> list[Reached]:
        return [Reached(*each) for each in reached_rows(frame, times, ticks)]

    return frame, count
