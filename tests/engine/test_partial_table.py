"""Values between tasks: what tasks have of a group, put together, is what one task would have."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.trends.aggregation import Aggregation
from cepheid.engine.trends.partial_table import (
    NUMBERS,
    from_collected,
)
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower


def combined(text, tables):
    """Return the result without windows and groups of tables that are folded apart."""
    schema = tables[0].schema
    plan = cepheid.query(text).plan(event_schema(schema, ColumnRoles("t", "type")))
    program = lower(plan)
    output = program.output
    assert isinstance(output, AggregateOutput)
    parts = []
    for table in tables:
        columns = dict(zip(table.column_names, table.columns, strict=True))
        events = TrendEvents(program, output, columns, table.num_rows)
        rows = Aggregation(events, RankedFolds()).table(schema, partially=True)
        parts += rows.column(NUMBERS).chunks
    numbers = pa.concat_arrays(parts)
    lists = pa.ListArray.from_arrays([0, len(numbers)], numbers)
    collected = pa.table({NUMBERS: lists})
    return from_collected(program, output, schema, collected).to_pylist()


def many(values, start=0):
    """Return events of the types A, B and C, one after the other, with these values each."""
    count = len(values)
    types = [name for name in "ABC" for _ in range(count)]
    times = pa.array(range(start, start + 3 * count), pa.int64())
    return pa.table({"t": times, "type": types, "x": pa.array(values * 3, pa.int64())})


def test_exact_counts_have_more_digits_than_python_writes():
    events = pa.table({"t": pa.array(range(15_000)), "type": ["A"] * 15_000})
    (row,) = combined("PATTERN A+ RETURN EXACT COUNT(*) AS n", [events, events])
    digits = row["n"]
    assert len(digits) == 4516
    assert int(digits[-9:]) == (pow(2, 15_001, 10**9) - 2) % 10**9
    assert digits.startswith("5635921759262795")


def test_large_sums_of_tasks_cancel():
    text = "PATTERN SEQ(A, B, C) RETURN SUM(A.x) AS total"
    tables = [many([2**62] * 1100), many([-(2**62)] * 1100), many([3])]
    assert combined(text, tables) == [{"total": 3}]


def test_large_sums_of_tasks_overflow():
    text = "PATTERN SEQ(A, B, C) RETURN SUM(A.x) AS total"
    with pytest.raises(cepheid.DataError, match="'total' exceeds BIGINT"):
        combined(text, [many([2**62] * 1100), many([-(2**62)] * 1099)])


def test_small_sums_of_many_tasks():
    text = "PATTERN A RETURN SUM(A.x) AS total"
    assert combined(text, [many([2**62]), many([-(2**62)])]) == [{"total": 0}]
