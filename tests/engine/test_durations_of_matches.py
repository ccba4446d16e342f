"""duration(match) as a column: the last time less the first, whatever the events are called."""

import datetime as dt

import pyarrow as pa
import pytest

import cepheid

START = dt.datetime(2024, 1, 1)
KINDS = "ABACBAB"
PATTERNS = (
    "SEQ(A a, B b, C? c)",
    "SEQ(C? c, A a, B b)",
    "SEQ(A a, (B b OR C c))",
    "(SEQ(A a, B b))+",
    "SEQ(A a, C* c)",
    "SEQ((A a OR B b), C c)",
    "SEQ(A, A, B)",
    "SEQ(A a, !C, B b, A? d)",
)


def events(unit: str | None) -> pa.Table:
    """Return events with times of a unit, or with integers."""
    count = len(KINDS)
    times = pa.array(range(0, 100 * count, 100), pa.int64())
    if unit == "date":
        times = pa.array([START.date() + dt.timedelta(days=each) for each in range(count)])
    elif unit is not None:
        times = pa.array([START + dt.timedelta(seconds=each) for each in range(count)])
        times = times.cast(pa.timestamp(unit))
    return pa.table({"time": times, "kind": list(KINDS)})


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("unit", ["us", "ns", "s", "date", None])
@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match"])
def test_duration_is_last_less_first(pattern: str, unit: str | None, strategy: str) -> None:
    table = events(unit)
    start = f"PATTERN {pattern} WHERE {strategy}"
    matches = cepheid.query(start).run(table, time="time", type="kind")
    found = cepheid.query(f"{start} RETURN duration(match), 1 AS one").run(
        table, time="time", type="kind"
    )
    first, last = matches.column("first_time"), matches.column("last_time")
    lengths = [one - other for one, other in zip(last.to_pylist(), first.to_pylist(), strict=True)]
    if unit is not None:
        lengths = [round(each.total_seconds() * 10**6) for each in lengths]
    assert lengths
    assert sorted(found.column("duration").to_pylist()) == sorted(lengths)
    assert found.schema.field("duration").type == pa.int64()


def test_explain_and_composition() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b, C? c) RETURN duration(match) AS d, a.time INTO T")
    table = events("us")
    assert "duration(match)" in str(query.explain(cepheid.events(table, time="time", type="kind")))
    found = cepheid.workload(
        [query, cepheid.query("PATTERN T t WHERE t.d < 2000000 RETURN t.d", name="short")]
    ).run(table, time="time", type="kind")
    lengths = found["short"].column(0).to_pylist()
    assert lengths
    assert max(lengths) < 2_000_000


def test_in_where_it_has_one_name_at_each_end() -> None:
    with pytest.raises(cepheid.BindingError, match="as a column of RETURN by itself"):
        cepheid.query("PATTERN SEQ(A a, B? b) WHERE duration(match) > 3 seconds").run(
            events("us"), time="time", type="kind"
        )
