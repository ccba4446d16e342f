"""Runs with the same future share a node, whether a step has few nodes or many."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.kernels.graph.build_run_graph import FEW_NODES
from cepheid.kernels.graph.match_nodes import NODE_COUNT
from tests.oracle import ask

QUERY = "PATTERN SEQ(A+ a, B b) WHERE a[i].x >= avg(a[..i-1].x) RETURN a.x AS x, b.time AS time"
RISING = [1, 2, 3, 4, 5, 6, 7, 8]


def stream(values: list[int]) -> list[dict[str, object]]:
    """Return an A for every value, and a B."""
    listed = [{"time": time, "type": "A", "x": x} for time, x in enumerate(values)]
    return [*listed, {"time": len(values), "type": "B", "x": 0}]


@pytest.mark.parametrize("values", [[1], RISING[:3], RISING, [3, 1, 2, 2, 3, 1, 4, 4, 5]])
def test_as_the_oracle(values: list[int]) -> None:
    events = stream(values)
    found = cepheid.query(QUERY).run(pa.Table.from_pylist(events), time="time", type="type")
    expected = ask(QUERY, events)
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected))


def test_nodes_are_shared() -> None:
    """Before the last A there are as many nodes as different counts and sums of chosen values."""
    table = pa.Table.from_pylist(stream(RISING))
    query = cepheid.query(f"{QUERY} OUTPUT COMPRESSED")
    graph = query.run(table, time="time", type="type")._graph
    ending = [sums(RISING[:place], RISING[place]) for place in range(len(RISING))]
    assert max(len(each) for each in ending) > FEW_NODES
    assert graph.cursor[NODE_COUNT] == sum(map(len, ending)) + 1


def sums(before: list[int], last: int) -> set[tuple[int, int]]:
    """Return count and sum of every choice of values that ends with one."""
    found = {(0, 0)}
    for value in before:
        found |= {(count + 1, total + value) for count, total in found}
    return {(count + 1, total + last) for count, total in found}
