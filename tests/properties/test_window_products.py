"""WITHIN alone on a stream: what is between the ends of a window is known as matrices."""

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.cached_steps import small_chunks
from tests.properties.long_streams import of_a_stream
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

PATTERNS = (
    "SEQ(A a, B b)", "A+ a", "SEQ(A+ a, B b)", "SEQ(A a, !C c, B b)", "SEQ(A a, B b, !C c)",
    "(SEQ(A a, B b))+", "SEQ(A a, B? b, C c)", "SEQ(!C c, A a, B b)",
)  # fmt: skip
STRATEGIES = ("", "SEMANTICS skip-till-next-match", "SEMANTICS contiguous")
# Contiguous trends that compare neighbours.
COMPARED = (
    ("A+ a", "a[i].x < a[i-1].x"), ("A+ a", "a[i].x <= a[i-1].x"),
    ("SEQ(A+ a, B b)", "a[i].x >= a[i-1].x"), ("SEQ(A a, B b)", "a.x < b.x"),
    ("(SEQ(A a, B b))+", "a.x <= b.x"), ("SEQ(A a, B? b, C c)", "a.x <> c.x"),
    ("SEQ(A+ a, B+ b)", "a[i].x <> a[i-1].x AND b[i].x <> b[i-1].x"),
)  # fmt: skip
AGGREGATES = (
    "COUNT(*) AS n", "COUNT(a) AS m, SUM(a.x) AS s", "MIN(a.x) AS l, MAX(a.x) AS h",
    "AVG(a.x) AS v, COUNT(*) AS n",
)  # fmt: skip
PARTITIONS = (("[k]", "k, ", "GROUP BY k"), ("[k]", "", ""), ("", "", ""))


def drawn_text(draw: random.Random) -> str:
    where, shown, grouped = draw.choice(PARTITIONS)
    pattern, strategy, compared = draw.choice(PATTERNS), draw.choice(STRATEGIES), ""
    if draw.random() < 0.4:
        (pattern, compared), strategy = draw.choice(COMPARED), STRATEGIES[-1]
    conditions = " AND ".join(filter(None, [where, compared]))
    return (
        f"PATTERN {pattern} {strategy} {'WHERE ' if conditions else ''}{conditions} "
        f"WITHIN {draw.choice([3, 10, 30])} RETURN {shown}{draw.choice(AGGREGATES)} {grouped}"
    )


@pytest.mark.parametrize("ordered", [False, True])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), has_ties=st.booleans(), data=st.data())
def test_equals_table(seed: int, has_ties: bool, data: st.DataObject, ordered: bool) -> None:
    text = drawn_text(random.Random(seed))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(
            text, seed, Path(folder), data, ordered=ordered, has_ties=has_ties
        )
    assert found == wanted


@pytest.mark.parametrize("ordered", [False, True])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_products_that_last(seed: int, data: st.DataObject, ordered: bool) -> None:
    """Nothing is lost, so that stretches of the back become the front, and are entered."""
    text = drawn_text(random.Random(seed))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=None):
        found, wanted, _ = of_a_stream(
            text,
            seed,
            Path(folder),
            data,
            ordered=ordered,
            has_ties=False,
            loses=False,
            counts=[250],
        )
    assert found == wanted
