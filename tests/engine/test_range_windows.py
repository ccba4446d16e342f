"""Ranges of time: windows inside of one are finished there, windows across borders composed."""

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.trends.partial_table import NUMBERS, from_collected
from cepheid.plan.run_options import Batch
from cepheid.spark.batch.range_windows import FINISHED, compose_windows, fold_windows

ROLES = {"time": "time", "type": "type"}
QUERIES = (
    "PATTERN SEQ(A a, B+ b) WITHIN 12 SLIDE 4 RETURN COUNT(*) AS n, SUM(b.x) AS total",
    "PATTERN SEQ(A a, !C, B b) WHERE [k] WITHIN 10 SLIDE 4 RETURN COUNT(*) AS n, MIN(b.x) AS least",
    "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 9 SLIDE 6 RETURN MAX(a.x) AS most GROUP BY k",
    "PATTERN SEQ(A a, B b) SEMANTICS contiguous WITHIN 8 SLIDE 8 RETURN COUNT(*) AS n, AVG(a.x)",
    "PATTERN SEQ(A a, B+ b) RETURN LOG2(COUNT(*)) AS n",
)
PLAIN = pa.int64()
KINDS = (PLAIN, pa.timestamp("s"), pa.timestamp("s", "UTC"))


def in_ranges(text, table, cuts):
    """The result from ranges of time that are folded apart, and all their rows."""
    schema = event_schema(table.schema, ColumnRoles(**ROLES))
    program = cepheid.query(text).program(Batch(parallel_in_time=True), schema)
    ticks = np.asarray(table["time"].cast(pa.int64()))
    borders = np.searchsorted(ticks, [*cuts, ticks.max() + 1])
    parts = [
        table.slice(begin, end - begin)
        for begin, end in zip([0, *borders], borders, strict=False)
        if begin < end
    ]
    given = program, program.slots, program.output
    rows = pa.concat_tables([fold_windows(*given, each) for each in parts])
    partial = compose_windows(*given, table.schema, rows)
    numbers = partial[NUMBERS].combine_chunks()
    lists = pa.ListArray.from_arrays(np.arange(len(numbers) + 1, dtype=np.int32), numbers)
    place = partial.column_names.index(NUMBERS)
    collected = partial.set_column(place, NUMBERS, lists)
    return from_collected(program, program.output, table.schema, collected), rows


def stream(seed, size, kind=PLAIN):
    random = np.random.default_rng(seed)
    times = np.sort(random.integers(-20, 100, size))
    return pa.table(
        {
            "time": pa.array(times).cast(kind),
            "type": random.choice(["A", "B", "C"], size, p=[0.4, 0.5, 0.1]),
            "k": random.integers(0, 2, size),
            "x": random.integers(-5, 6, size),
        }
    )


def sorted_rows(table):
    return sorted(table.to_pylist(), key=lambda row: [str(each) for each in row.values()])


@given(
    st.sampled_from(QUERIES),
    st.integers(0, 2**32),
    st.integers(1, 120),
    st.sampled_from(KINDS),
    st.lists(st.integers(-30, 110), max_size=4, unique=True).map(sorted),
)
def test_ranges_equal_one_task(text, seed, size, kind, cuts):
    table = stream(seed, size, kind)
    if kind != PLAIN:
        text = re.sub(r"(WITHIN|SLIDE) (\d+)", r"\1 \2 seconds", text)
    found, _ = in_ranges(text, table, cuts)
    expected = cepheid.query(text).run(table, **ROLES)
    assert found.schema == expected.schema
    assert sorted_rows(found) == [
        {key: pytest.approx(value) if isinstance(value, float) else value
         for key, value in row.items()}
        for row in sorted_rows(expected)
    ]  # fmt: skip


def test_only_panes_near_borders_leave_a_range():
    """Of 24 panes of a range, a window has three: the rest stays where it is."""
    table = stream(1, 3000)
    found, rows = in_ranges(QUERIES[0], table, [0, 40])
    assert sorted_rows(found) == sorted_rows(cepheid.query(QUERIES[0]).run(table, **ROLES))
    assert rows[FINISHED].null_count <= 3 * 2 * 4
    assert len(rows) - rows[FINISHED].null_count == 3
