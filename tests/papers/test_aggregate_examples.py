"""The aggregate queries in examples/ of A-Seq, COGRA and HAMLET give what the oracle gives.

The streams are small and calm, since the oracle enumerates all trends.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.generate import STREAMS, generate
from tests.cli.command import EXAMPLES
from tests.oracle import evaluate

RIDES = {"burst": 3, "trips": 4, "drivers": 5, "riders": 9, "districts": 2, "kinds": 5}


@dataclass(frozen=True)
class Example:
    stream: str
    events: int
    settings: dict[str, float] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)

    def table(self) -> pa.Table:
        return generate(self.stream, events=self.events, **self.settings)


EXAMPLE_BY_QUERY = {
    "cogra/q1": Example("cluster", 100, {"loads": 3, "mappers": 3}),
    "cogra/q2": Example("ridesharing", 60, RIDES | {"events_per_minute": 20}),
    "cogra/q3": Example(
        "trading",
        40,
        {"companies": 6, "sectors": 2, "transactions_per_minute": 60},
        {"threshold": 10},
    ),
    "cogra/q4": Example("activity", 300, {"patients": 3, "change": 0.05, "step": 40}),
    "a_seq/network_security": Example("clicks", 250, {"attack": 0.3, "users": 5}),
    "a_seq/e_commerce": Example("clicks", 200, {"users": 5, "attack": 0}),
    "a_seq/fraud_detection": Example("purchases", 100, {"fraud": 0.2, "cards": 4}),
    "hamlet/q1": Example("ridesharing", 40, RIDES | {"events_per_minute": 10, "missed": 0.3}),
    "hamlet/q2": Example("ridesharing", 60, RIDES | {"events_per_minute": 10, "pool": 0.7}),
    "hamlet/q3": Example("ridesharing", 80, RIDES | {"events_per_minute": 20, "cancelled": 0.4}),
}


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: [str(value) for value in row.values()])


def agree(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def test_every_aggregate_query_of_the_papers_is_tested():
    folders = ("cogra", "a_seq", "hamlet")
    found = {f"{each}/{path.stem}" for each in folders for path in (EXAMPLES / each).glob("*.cep")}
    assert found == set(EXAMPLE_BY_QUERY)


@pytest.mark.parametrize("name", EXAMPLE_BY_QUERY)
def test_example(name):
    example = EXAMPLE_BY_QUERY[name]
    text = (EXAMPLES / f"{name}.cep").read_text(encoding="utf-8")
    query = cepheid.query(text, parameters=example.parameters)
    stream, events = STREAMS[example.stream], example.table()
    roles = ColumnRoles(stream.time_column, stream.type_column)
    wanted = evaluate(query.bind(event_schema(events.schema, roles)), events.to_pylist())
    assert len(wanted) >= 3
    found = query.run(events, time=stream.time_column, type=stream.type_column).to_pylist()
    for row, expected in zip(plain(found), plain(wanted), strict=True):
        assert list(row) == list(expected)
        assert all(map(agree, row.values(), expected.values())), (row, expected)
