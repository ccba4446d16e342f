"""What runs side by side on a cluster."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery, Strategy, WindowUnit
from cepheid.plan.physical import AggregateMethod, Choice, Parallelism
from cepheid.plan.slot_layout import covers_recent

SORTED_ALIKE = (
    AttributeType.INTEGER,
    AttributeType.FLOAT,
    AttributeType.BOOLEAN,
    AttributeType.TIMESTAMP,
    AttributeType.ZONED,
    AttributeType.DATE,
)


def choose_parallelism(
    query: BoundQuery, method: AggregateMethod, wanted: bool | None = None
) -> Choice[Parallelism]:
    """Partitions if there are any, else ranges of time; `wanted` asks for those or forbids them."""
    obstacle = obstacle_to_ranges(query, method)
    if query.partition_by and not (wanted and obstacle is None):
        if query.strategy is Strategy.STRICT:
            return Choice(
                Parallelism.NONE, "under strict contiguity events of all partitions count"
            )
        return _by_partitions(query)
    if obstacle is None and wanted is not False:
        reason = "asked for" if wanted else "the query has no partitions, and its state is linear"
        return Choice(Parallelism.TIME, reason)
    return Choice(Parallelism.NONE, obstacle or "parallel_in_time is off")


def _by_partitions(query: BoundQuery) -> Choice[Parallelism]:
    """With WITHIN alone a result is due at moments of any partition of a group."""
    names = ", ".join(query.partition_by)
    if not covers_recent(query):
        return Choice(Parallelism.PARTITIONS, f"events of one {names} go to one task")
    groups = [each.attribute for each in query.group_by]
    if not groups:
        return Choice(
            Parallelism.NONE,
            f"a result is the sum over every {names} at that time; with GROUP BY {names} there is a"
            " task for each",
        )
    reason = f"events of one {', '.join(groups)} go to one task"
    if set(groups) != set(query.partition_by):
        reason += f", as a result is the sum over every {names} of a group at that time"
    return Choice(Parallelism.PARTITIONS, reason)


def obstacle_to_ranges(query: BoundQuery, method: AggregateMethod) -> str | None:
    """Return why ranges of time cannot be folded apart; None if they can."""
    if method is AggregateMethod.SIDES:
        return "AND pairs trends of different ranges"
    if method is not AggregateMethod.POSITIONS:
        return "a trend is told from others by its events"
    window = query.window
    if window is not None and window.unit is WindowUnit.EVENTS:
        return "a window of events starts counting at the first one"
    if window is not None and window.slide is None:
        return "a result is due at every event that can end a trend"
    if query.strategy is Strategy.STRICT and query.partition_by:
        return "under strict contiguity events of all partitions count"
    for aggregate in (each.aggregate for each in query.aggregates or ()):
        if aggregate.exact:
            return "EXACT counts are found in several passes"
        is_extreme = aggregate.function in ("MIN", "MAX")
        if is_extreme and aggregate.attribute_type not in SORTED_ALIKE:
            return f"every range would rank the values of {aggregate.attribute} on its own"
    return None
