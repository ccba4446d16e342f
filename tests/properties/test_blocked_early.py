"""Matches with a negation at the border on a stream: who is blocked is looked at no further."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.stream.step_rules import has_marks, is_blocked_early
from tests.properties.cached_steps import small_chunks
from tests.properties.long_streams import ORDER, of_a_stream
from tests.properties.queries import Case
from tests.properties.stream_steps import program_of
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

PATTERNS = (
    "SEQ(A a, B b, !C c)", "SEQ(A+ a, !C c)", "SEQ(A a, B+ b, !C c)",
    "SEQ(A a, !B n, C b, !B c)", "SEQ(A a, B b, !SEQ(C c, A d))",
)  # fmt: skip
AT_START = (
    "SEQ(!C c, A a, B b)", "SEQ(!C c, A+ a)", "SEQ(!C c, A a, B+ b)",
    "SEQ(!B c, A a, !A m, C b)", "SEQ(!SEQ(C c, A d), A a, B b)",
)  # fmt: skip
STRATEGIES = ("SEMANTICS skip-till-next-match", "SEMANTICS contiguous")
CONDITIONS = ("", " AND a.x > 0", " AND c.x > 1", " AND c.x = a.x")


def drawn_text(draw: random.Random, patterns: Sequence[str]) -> str:
    return (
        f"PATTERN {draw.choice(patterns)} {draw.choice(STRATEGIES)} "
        f"{draw.choice(['WHERE [k]', 'WHERE TRUE'])}{draw.choice(CONDITIONS)} "
        f"WITHIN {draw.choice([5, 20, 40])}"
    )


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_equals_table(seed: int, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed), PATTERNS)
    assert is_blocked_early(program_of(Case(text, [], ORDER)))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_negation_at_the_start(seed: int, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed), AT_START)
    assert has_marks(program_of(Case(text, [], ORDER)))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted
