"""Groups whose partitions lie in several buckets; nothing of this needs Spark."""

import math

import pyarrow as pa

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.stream.add_partial_rows import add_partial_rows
from cepheid.stream.stream_state import StreamState
from tests.stream.script import result_of, step_alone

SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("k", pa.int64()), ("f", pa.float64()),
     ("g", pa.float64())]
)  # fmt: skip
QUERY = cepheid.query(
    "PATTERN SEQ(A a, B b) WHERE [k, f] GROUP BY f WITHIN 40 SLIDE 40 "
    "RETURN f, COUNT(*) AS n, SUM(b.k) AS total, MAX(b.g) AS most, MIN(b.g) AS least"
)


def test_groups_and_extremes_of_nan() -> None:
    """NaN is a group like others, NULL too, and NaN is larger than all numbers."""
    rows = [
        {
            "type": "AB"[at // 4 % 2],
            "time": at,
            "k": at % 2,
            "f": (math.nan, math.nan, 1.5, None)[at % 4],
            "g": (math.nan, 2.0, -1.0)[at % 3],
        }
        for at in range(80)
    ]
    table = pa.Table.from_pylist(rows, SCHEMA)
    roles = ColumnRoles(time="time", type="type")
    program = lower(QUERY.plan(event_schema(SCHEMA, roles)))
    output = program.output
    assert isinstance(output, AggregateOutput)
    parts = []
    for bucket in (0, 1):
        own = pa.Table.from_pylist([row for row in rows if row["k"] == bucket], SCHEMA)
        done = step_alone(program, StreamState(), own, 1000, partially=True)
        parts.append(result_of(done))
    partial_rows = pa.concat_tables(parts)
    for rows_of_buckets in (partial_rows, pa.concat_tables(parts[::-1])):
        found = add_partial_rows(program, output, SCHEMA, rows_of_buckets).to_pylist()
        wanted = QUERY.run(table, time="time", type="type").to_pylist()
        assert len(found) < partial_rows.num_rows
        assert any(each["f"] is not None and math.isnan(each["f"]) for each in found)
        assert sorted(map(repr, found)) == sorted(map(repr, wanted))
