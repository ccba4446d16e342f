"""Events as arrays: when they were, of which kind they are, and which partition they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.names import event_patterns
from cepheid.analysis.schema import EventSchema
from cepheid.language import ast
from cepheid.plan.physical import PhysicalPlan
from cepheid.plot.timeline import Kind, Role
from cepheid.plot.value_line import value_numbers
from cepheid.program.compute_columns import with_computed
from cepheid.program.lower import lower
from cepheid.program.numeric_times import digits_of, has_digits, number_ticks
from cepheid.program.position_masks import position_masks
from cepheid.program.program import Program

MOST_ATTRIBUTES, LONGEST_VALUE = 12, 60


@dataclass(frozen=True, slots=True)
class EventRows:
    """The events of a query; events without a partition have the number -1 there.

    `fits` says which events fit a part of the pattern, negated or not, by their type and by what
    WHERE says of them alone. `values` has the values of the partition attributes by number of the
    partition. `is_clock` says whether times are moments or plain numbers. `numbers` are the values
    of the attribute `value`, if one is drawn.
    """

    table: pa.Table
    ticks: NDArray[np.int64]
    kind: NDArray[np.int64]
    kinds: tuple[Kind, ...]
    fits: NDArray[np.bool_]
    partition: NDArray[np.int64]
    values: tuple[tuple[Any, ...], ...]
    ticks_per_second: int
    is_clock: bool
    digits: int = 0
    value: str = ""
    numbers: NDArray[np.float64] | None = None

    def label(self, partition: int) -> str:
        """Return the values of a partition as one text."""
        return " · ".join(map(value_text, self.values[partition]))


def event_rows(
    table: pa.Table, schema: EventSchema, plan: PhysicalPlan, value: str | None = None
) -> EventRows:
    """Read what is needed of a table of events; times must not be NULL."""
    assert schema.time is not None
    bound = plan.query
    kinds = kinds_of(bound)
    time = table[schema.time]
    program = lower(plan)
    whole = with_computed(table, program.computed)
    partition, values = _partitions(whole, bound.partition_by)
    return EventRows(
        table,
        to_ticks(time),
        _kinds(table, schema.type_column, kinds),
        kinds,
        _fitting(whole, program),
        partition,
        values,
        int(schema.ticks_per_second),
        is_clock=pa.types.is_temporal(time.type),
        digits=digits_of(time.type),
        value=value or "",
        numbers=None if value is None else value_numbers(table, value),
    )


def to_ticks(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return times as numbers in the unit that windows have, too."""
    if has_digits(column.type):
        return number_ticks(column, "time")
    if pa.types.is_date32(column.type):
        column = pc.cast(column, pa.timestamp("s"))
    elif pa.types.is_date64(column.type):
        column = pc.cast(column, pa.timestamp("ms"))
    whole: NDArray[np.int64] = pc.cast(column, pa.int64()).to_numpy()
    return whole


def kinds_of(bound: BoundQuery) -> tuple[Kind, ...]:
    """Return the types of the pattern in its order, then one kind for all other types.

    A type that is both matched and negated counts as matched. Matched types come before negated
    ones, so that a negation more or less leaves every type its colour.
    """
    roles: dict[str, Role] = {}
    for pattern in bound.patterns:
        for position in pattern.automaton.positions:
            roles |= dict.fromkeys(position.types, Role.MATCHED)
    ordered = [name for each in event_patterns(_pattern(bound)) for name in each.types]
    kinds = [Kind(each, roles.get(each, Role.NEGATED)) for each in dict.fromkeys(ordered)]
    kinds.sort(key=lambda each: each.role is Role.NEGATED)
    return (*kinds, Kind("other types", Role.OTHER))


def _pattern(bound: BoundQuery) -> ast.Pattern:
    return bound.tree.pattern


def _kinds(table: pa.Table, column: str | None, kinds: Sequence[Kind]) -> NDArray[np.int64]:
    if column is None:
        return np.zeros(table.num_rows, np.int64)
    types = table[column]
    if pa.types.is_dictionary(types.type):
        types = pc.cast(types, types.type.value_type)
    known = pa.array([each.name for each in kinds[:-1]], types.type)
    found = pc.fill_null(pc.index_in(types, known), len(kinds) - 1)
    whole: NDArray[np.int64] = found.to_numpy().astype(np.int64)
    return whole


def _fitting(table: pa.Table, program: Program) -> NDArray[np.bool_]:
    columns = dict(zip(table.column_names, table.columns, strict=True))
    masks = position_masks(program, columns, table.num_rows)
    fits: NDArray[np.bool_] = np.bitwise_or.reduce(masks) != 0
    return fits


def _partitions(
    table: pa.Table, attributes: Sequence[str]
) -> tuple[NDArray[np.int64], tuple[tuple[Any, ...], ...]]:
    """Return the number of every event's partition, and the values of each partition."""
    if not attributes:
        return np.zeros(table.num_rows, np.int64), ((),)
    partition = np.zeros(table.num_rows, np.int64)
    values: list[tuple[Any, ...]] = [()]
    for name in attributes:
        encoded = pc.dictionary_encode(table[name]).combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):  # of a table without rows
            return partition, ()
        code = pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int64)
        dictionary = encoded.dictionary.to_pylist()
        joined = np.where((partition < 0) | (code < 0), -1, partition * len(dictionary) + code)
        keys, partition = np.unique(joined, return_inverse=True)
        if keys.size and keys[0] < 0:
            keys, partition = keys[1:], partition - 1
        values = [
            (*values[key // len(dictionary)], dictionary[key % len(dictionary)])
            for key in keys.tolist()
        ]
    return partition.astype(np.int64), tuple(values)


def words_of(table: pa.Table, rows: Sequence[int], skipped: Sequence[str]) -> list[str]:
    """Return the attributes of some events, a line each; those without a value are left out."""
    part = table.take(pa.array(rows, pa.int64()))
    names = [each for each in part.column_names if each not in skipped][:MOST_ATTRIBUTES]
    columns = {name: column_texts(part[name]) for name in names}
    return [
        "\n".join(f"{name}: {columns[name][row]}" for name in names if columns[name][row] != "NULL")
        for row in range(part.num_rows)
    ]


def column_texts(column: Any) -> list[str]:
    """Return the values of a column as texts, `NULL` where there is none.

    >>> column_texts(pa.chunked_array([[1.5, None]]))
    ['1.5', 'NULL']
    >>> column_texts(pa.chunked_array([[60_000_000]]).cast(pa.timestamp("us")))
    ['1970-01-01 00:01:00']
    """
    if pa.types.is_timestamp(column.type):
        texts = pc.cast(column, pa.string())
        while pc.all(pc.match_substring_regex(texts, r"\.(\d{3})*000(Z|$)")).as_py():
            texts = pc.replace_substring_regex(texts, r"\.?000(Z|$)", r"\1")
        column = texts
    return [value_text(each) for each in column.to_pylist()]


def value_text(value: object) -> str:
    """Return a value as a short text.

    >>> value_text("x" * 100)[-4:], value_text(True), value_text([1, 2])
    ('xxx…', 'true', '1, 2')
    >>> from datetime import UTC
    >>> value_text(datetime(2024, 1, 31, 9, tzinfo=UTC))
    '2024-01-31 09:00:00Z'
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case list():
            text = ", ".join(map(value_text, value))
        case datetime():
            text = str(value).replace("+00:00", "Z")
        case float():
            is_whole = value.is_integer() and abs(value) < 1e15
            text = f"{value:.0f}" if is_whole else f"{value:.6g}"
        case _:
            text = str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
