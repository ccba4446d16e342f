"""Counts straight from a sorted stream are those of the general way."""

import dataclasses
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.engine.events.few_events import order_of_few
from cepheid.engine.events.order_events import order_events
from cepheid.engine.fold import Facts
from cepheid.engine.trends.folds.count_in_order import NO_MEASURES, count_stream_rows
from cepheid.engine.trends.trend_folds import COUNT_IN_ORDER
from cepheid.engine.trends.trends import Trends
from cepheid.plan.planner import make_plan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.lower_slots import lower_slots
from tests.engine.fold_trends import fold_trends
from tests.oracle import bind, schema_of

PATTERNS = (
    "SEQ(A, B, C)",
    "(SEQ(A+, B))+",
    "A+",
    "SEQ(A+, B, C)",
    "SEQ(A, B?, C*, A)",
    "SEQ(A+, !B, C)",
    "SEQ(A, !SEQ(B, A), C+)",
    "SEQ(ANY(A, B) v, C) WHERE v.x > 0",
)
STRATEGIES = ("", "SEMANTICS skip-till-next-match", "SEMANTICS contiguous")
SCHEMA = schema_of([{"type": "A", "time": 0, "x": 0}])


def prepare(pattern: str, strategy: str, window: int | None, slide: int | None = None):
    text, _, where = pattern.partition(" WHERE ")
    parts = [f"PATTERN {text}", strategy, f"WHERE {where}" if where else ""]
    parts.append(f"WITHIN {window}" if window else "")
    query = bind("\n".join(filter(None, parts)), SCHEMA)
    slots = lower_slots(query)
    assert slots is not None
    output = AggregateOutput((), (), (), (), ())
    program = lower(make_plan(query))
    return dataclasses.replace(program, slide=slide or window, output=output, slots=slots), slots


def both_ways(pattern, strategy, window, columns, *, wants_low=True):
    program, slots = prepare(pattern, strategy, *(window or (None, None)))
    size = len(columns["time"])
    facts = Facts({"rows": size, "order": order_of_few(np.asarray(columns["time"]))})
    found = None
    if COUNT_IN_ORDER.refusal(Trends(program), facts) is None:
        found = count_stream_rows(program, slots, columns, size, wants_low=wants_low)
    ordered = order_events(program, columns, size)
    expected = fold_trends(program, ordered, NO_MEASURES)
    has_trends = expected.mantissa[:, 0] > 0
    return found, type(expected)._make(each[has_trends] for each in expected)


def stream(kinds: str, times) -> dict[str, pa.Array]:
    return {
        "type": pa.array(list(kinds), pa.string()).dictionary_encode(),
        "time": pa.array(times, pa.int64()),
        "x": pa.array([at % 2 for at in range(len(kinds))]),
    }


def assert_same(found, expected):
    assert found.window.tolist() == expected.window.tolist()
    assert found.owner.tolist() == expected.owner.tolist()
    pairs = zip(found.mantissa[:, 0], found.tier[:, 0], expected.mantissa[:, 0],
                expected.tier[:, 0], strict=True)  # fmt: skip
    for mantissa, tier, other, other_tier in pairs:
        value = Fraction(float(mantissa)) * 2 ** (512 * int(tier))
        wanted = Fraction(float(other)) * 2 ** (512 * int(other_tier))
        assert abs(value - wanted) <= wanted * Fraction(1, 2**40)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.sampled_from(STRATEGIES),
    st.sampled_from((None, (1, 1), (4, 4), (30, 30), (6, 2), (6, 4), (9, 1))),
    st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from((0, 1, 1, 1, 1, 9))), max_size=40),
)
def test_small_streams(pattern, strategy, window, steps):
    kinds = "".join(kind for kind, _ in steps)
    times = np.cumsum([delta for _, delta in steps]) - 7
    found, expected = both_ways(pattern, strategy, window, stream(kinds, times))
    if found is None:
        has_ties = (np.diff(times) == 0).any()
        assert not steps or (has_ties and (strategy or "!" in pattern))
        return
    assert_same(found, expected)
    assert found.low.tolist() == expected.low.tolist()


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("window", [None, (5000, 5000), (3000, 1000)])
@pytest.mark.parametrize("runs", [1, 300])
def test_long_streams(pattern, window, runs):
    """Counts pass 2^53, 2^64 and several tiers; long runs of a type pull the slots apart."""
    random = np.random.default_rng(1)
    kinds = np.repeat(random.choice(list("ABCD"), 20_000 // runs), runs)
    times = np.arange(kinds.size)
    columns = stream("".join(kinds), times)
    found, expected = both_ways(pattern, "", window, columns)
    assert_same(found, expected)
    small = (expected.tier[:, 0] == 0) & (expected.mantissa[:, 0] < 2.0**63)
    assert found.low[small].tolist() == expected.low[small].tolist()
    without_low, _ = both_ways(pattern, "", window, columns, wants_low=False)
    assert_same(without_low, expected)


def test_one_trend_before_many_events_is_not_lost():
    kinds = "ABC" + "A" * 3000 + "BC"
    for end in (3, 3003, len(kinds)):
        found, expected = both_ways("SEQ(A+, B, C)", "", None, stream(kinds[:end], range(end)))
        assert_same(found, expected)


def test_events_out_of_order_take_the_general_way():
    for times in ([3, 2], [1, 2, 1, 5], [0, 9, 9, 3, 12]):
        found, _ = both_ways("SEQ(A, B)", "", None, stream("ABAAB"[: len(times)], times))
        assert found is None
