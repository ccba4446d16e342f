"""Where predicates tell runs apart, the events of those that are alive give what a table gives."""

import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.stream.step_rules import keeps_runs
from tests.properties.cached_steps import small_chunks
from tests.properties.long_streams import ORDER, of_a_stream
from tests.properties.queries import Case
from tests.properties.stream_steps import program_of
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

PATTERNS = {
    "SEQ(A a, B b)": ("a.x < b.x", "a.x + b.x > 1", "b.x = a.x + 1 AND a.x > 0"),
    "SEQ(A a, B b, C c)": ("a.x < b.x AND b.x <= c.x", "a.x = c.x", "a.x + b.x < c.x"),
    "SEQ(A a, B b, A c)": ("a.x < b.x AND a.x > 0 AND c.x < 0",),
    "SEQ(A a, (B b | C c))": ("a.x < b.x AND a.x > c.x",),
    "SEQ(A a, B? b, C c)": ("a.x < c.x AND b.x > a.x",),
}


def drawn_text(draw: random.Random) -> str:
    pattern = draw.choice([*PATTERNS])
    return (
        f"PATTERN {pattern} SEMANTICS skip-till-next-match WHERE {draw.choice(PATTERNS[pattern])}"
        f"{draw.choice(['', ' AND [k]'])} WITHIN {draw.choice([5, 20, 40])}"
    )


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_equals_table(seed: int, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed))
    assert keeps_runs(program_of(Case(text, [], ORDER)))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted
