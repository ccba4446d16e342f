"""WITHIN alone on a stream: what is between the ends of a window is known as matrices."""

import random
import tempfile
from pathlib import Path

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
AGGREGATES = (
    "COUNT(*) AS n", "COUNT(a) AS m, SUM(a.x) AS s", "MIN(a.x) AS l, MAX(a.x) AS h",
    "AVG(a.x) AS v, COUNT(*) AS n",
)  # fmt: skip
PARTITIONS = (("WHERE [k]", "k, ", "GROUP BY k"), ("WHERE [k]", "", ""), ("", "", ""))


def drawn_text(draw: random.Random) -> str:
    where, shown, grouped = draw.choice(PARTITIONS)
    return (
        f"PATTERN {draw.choice(PATTERNS)} {draw.choice(STRATEGIES)} {where} "
        f"WITHIN {draw.choice([3, 10, 30])} RETURN {shown}{draw.choice(AGGREGATES)} {grouped}"
    )


@settings(max_examples=120)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_equals_table(seed: int, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted
