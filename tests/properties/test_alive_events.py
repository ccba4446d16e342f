"""Where predicates tell runs apart, the events of those that are alive give what a table gives."""

import random
import tempfile
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.stream.local_cache import LocalCache
from cepheid.stream.step_rules import keeps_runs
from tests.properties.cached_steps import Store, small_chunks
from tests.properties.comparison import SCHEMA
from tests.properties.long_streams import ORDER, of_a_stream
from tests.properties.queries import Case
from tests.properties.stream_steps import program_of
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.stream.script import step_alone

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


def test_a_run_that_went_on_in_two_ways(tmp_path: Path) -> None:
    """Of its runs one is over. The events of that one are those of others, which are alive."""
    text = (
        "PATTERN SEQ(A a, B b, C c) SEMANTICS skip-till-next-match WHERE a.x + b.x < c.x WITHIN 20"
    )
    shown = [(0, "A", -1), (1, "A", -3), (2, "B", 0), (2, "B", 5), (3, "C", -2), (5, "C", 3)]
    events = [{"type": kind, "time": at, "seq": 0, "k": 1, "x": x} for at, kind, x in shown]
    program, store, cache = program_of(Case(text, events, ORDER)), Store(), LocalCache(tmp_path)
    found = []
    with small_chunks(most=True):
        for until in (2, 3, 4, 6):
            before = store.load(cache)
            rows = [each for each in events if until - 2 <= each["time"] < until]
            rows = [each for each in rows if each["time"] >= (before.horizon or 0)]
            arrived = pa.Table.from_pylist(rows, schema=SCHEMA)
            done = step_alone(program, before, arrived, until)
            store.save(before, done.state, cache)
            found += [row for each in done.results.values() for row in each.to_pylist()]
    assert [(each["a_x"], each["b_x"], each["c_x"]) for each in found] == [
        (-3, 0, -2), (-3, 5, 3), (-1, 0, 3),
    ]  # fmt: skip


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_equals_table(seed: int, data: st.DataObject) -> None:
    text = drawn_text(random.Random(seed))
    assert keeps_runs(program_of(Case(text, [], ORDER)))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        found, wanted, _ = of_a_stream(text, seed, Path(folder), data)
    assert found == wanted
