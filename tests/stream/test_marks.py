"""Under strict contiguity, what is left of events that are dropped."""

import random

import pytest

import cepheid
from tests.properties.comparison import SCHEMA
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, drive, program_of, rows_of


@pytest.mark.parametrize("keys", ["seq", "seq, k", "k"])
def test_partitions_by_the_order_column(keys: str) -> None:
    """A mark has no partition, but keeps its place in the order."""
    text = (
        f"PATTERN SEQ(A a, B b) WHERE [{keys}] AND strict_contiguity\n"
        "WITHIN 2 EVENTS RETURN COUNT(*) AS n"
    )
    draw = random.Random(5)
    events = [
        {
            "type": draw.choice("AAB"),
            "time": place // 2,
            "seq": place % 2,
            "k": draw.choice([1, 2]),
            "x": 0,
        }
        for place in range(60)
    ]
    case = Case(text, events, ("seq",))
    program = program_of(case)
    batches = [Batch(events[place : place + 4], place // 2) for place in range(0, 60, 4)]
    found = rows_of(program, drive(program, [*batches, Batch([], None, ends=True)]))
    table = cepheid.query(text).run(
        SCHEMA.empty_table().from_pylist(events, schema=SCHEMA),
        time="time",
        type="type",
        order="seq",
    )
    assert sorted(map(repr, found)) == sorted(map(repr, table.to_pylist()))
    assert len(found) > 5
