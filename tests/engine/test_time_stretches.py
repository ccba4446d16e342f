"""Aggregates of many events in order are folded a stretch at a time, with the same results."""

import random

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.trends import time_stretches as stretches

QUERIES = {
    "sum": "PATTERN SEQ(A, B b) RETURN SUM(b.x) AS n, COUNT(*) AS c",
    "repeated": "PATTERN SEQ(A, B+ b) RETURN LOG2(COUNT(*)) AS c, MAX(b.x) AS most, MIN(b.x) AS l",
    "keys": "PATTERN SEQ(A, B+ b) WHERE [k] RETURN k, MIN(b.x) AS l, AVG(b.x) AS m GROUP BY k",
    "keys added up": "PATTERN SEQ(A a, B b) WHERE [k] RETURN SUM(a.x) AS n, MAX(b.x) AS most",
    "negation": "PATTERN SEQ(A, !C, B b) RETURN SUM(b.x) AS n",
    "next": "PATTERN SEQ(A a, B+ b) SEMANTICS skip-till-next-match RETURN SUM(b.x) AS n",
    "contiguous": "PATTERN SEQ(A a, B b) SEMANTICS contiguous WHERE [k] RETURN SUM(b.x) AS n",
    "having": "PATTERN SEQ(A a, B b) WHERE [k] RETURN k, SUM(b.x) AS n GROUP BY k HAVING n > 0",
}
ROLES = {"time": "time", "type": "type"}


def table(size=3000, *, values=range(-20, 90)):
    draw = random.Random(7)
    return pa.table(
        {
            "time": sorted(draw.randrange(size) for _ in range(size)),
            "type": draw.choices("ABC", k=size),
            "k": [draw.choice((1, 2, 3, None)) for _ in range(size)],
            "x": draw.choices([*values, None], k=size),
        }
    )


@pytest.fixture
def in_stretches(monkeypatch):
    """Make stretches of few events, from few events on."""
    monkeypatch.setattr(stretches, "LEAST_ROWS", 100)
    monkeypatch.setattr(stretches, "STRETCH", 64)


def ran(text, events):
    """Return the rows and what folded them."""
    found = cepheid.query(text).analyze(events, **ROLES)
    return found.result.to_pylist(), [each.ran for each in found.report.groups]


def test_few_events_are_folded_at_once():
    assert stretches.NAME not in ran(QUERIES["sum"], table())[1]


@pytest.mark.parametrize("name", QUERIES)
def test_results(in_stretches, monkeypatch, name):
    found, folds = ran(QUERIES[name], table())
    assert folds == [stretches.NAME]
    monkeypatch.setattr(stretches, "LEAST_ROWS", 10**9)
    wanted, folds = ran(QUERIES[name], table())
    assert stretches.NAME not in folds
    assert found
    assert found == [
        {key: pytest.approx(value, rel=1e-10) for key, value in row.items()} for row in wanted
    ]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        pytest.param("PATTERN SEQ(A, B+) RETURN LOG2(COUNT(*)) AS n", table(), id="counts"),
        pytest.param(f"{QUERIES['sum']} ", table().take(list(range(2999, -1, -1))), id="no order"),
        pytest.param(QUERIES["sum"], table().set_column(0, "time", [[5] * 3000]), id="one time"),
        pytest.param(
            "PATTERN SEQ(A, B b) RETURN EXACT COUNT(*) AS n, MAX(b.x) AS m", table(), id="exact"
        ),
    ],
)
def test_folded_at_once(in_stretches, text, events):
    assert stretches.NAME not in ran(text, events)[1]


def test_an_error_names_the_row(in_stretches):
    times = table()["time"].to_pylist()
    times[2000] = None
    events = table().set_column(0, "time", pa.array(times))
    with pytest.raises(cepheid.DataError, match="NULL in row 2000"):
        cepheid.query(QUERIES["sum"]).run(events, **ROLES)


def test_dropped_events_are_counted(in_stretches):
    found = cepheid.query(QUERIES["keys"]).analyze(table(), **ROLES)
    missing = [row for row in table().to_pylist() if row["k"] is None and row["type"] in ("A", "B")]
    assert found.report.counts["events in no partition"] == len(missing)
