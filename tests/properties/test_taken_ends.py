"""NON OVERLAPPING on a stream: events stay where they are, beside the ends of taken matches."""

import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.stream.taken_ends import can_keep_ends
from tests.properties.cached_steps import small_chunks
from tests.properties.comparison import SCHEMA
from tests.properties.long_streams import ORDER, of_a_stream
from tests.properties.queries import Case
from tests.properties.stream_steps import program_of
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

PATTERNS = (
    "SEQ(A a, B b)", "A{2,3} a", "SEQ(A+ a, B b)", "SEQ(A a, !C c, B b)", "SEQ(A a, B? b, C c)",
)  # fmt: skip
STRATEGIES = ("", "SEMANTICS skip-till-next-match", "SEMANTICS contiguous")
CONDITIONS = ("", " AND a.x > 0")


def drawn_text(draw: random.Random) -> str:
    return (
        f"PATTERN {draw.choice(PATTERNS)} {draw.choice(STRATEGIES)} "
        f"WHERE [k]{draw.choice(CONDITIONS)} WITHIN {draw.choice([3, 10])} "
        "OUTPUT NON OVERLAPPING"
    )


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32), most=st.sampled_from((True, False, None)), data=st.data())
def test_equals_table(seed: int, most: bool | None, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed))
    assert can_keep_ends(program_of(Case(text, [], ORDER)), SCHEMA)
    with tempfile.TemporaryDirectory() as folder, small_chunks(most):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted
