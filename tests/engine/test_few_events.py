"""NumPy for few events gives what the kernels give."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.few_events import add_few, group_few, grouped_few, order_of_few, rank_few
from cepheid.engine.events.is_few import FEW
from cepheid.kernels.order.arrange_events import (
    Grouped,
    count_events,
    find_places,
    order_of,
    place_events,
)
from cepheid.kernels.order.value_ranks import rank_in_partitions
from cepheid.kernels.values.add_by_key import add_by_key
from cepheid.kernels.values.value_arrays import NOTHING, ValueRows
from tests.engine.few_events import few_are
from tests.kernels.processes import output_of

small = st.integers(-3, 3)
ALL = slice(None)


@given(st.lists(small, max_size=6))
def test_the_order_of_times(ticks):
    ticks = np.array(ticks, np.int64)
    assert order_of_few(ticks) == order_of(ticks)


@given(st.data(), st.integers(0, 8), st.integers(1, 3), st.booleans(), st.booleans())
def test_groups(data, count, size, is_ordered, has_members):
    numbers = st.lists(st.integers(0, size - 1), min_size=count, max_size=count)
    code = np.array(data.draw(numbers), np.int64)
    order = np.array([] if is_ordered else data.draw(st.permutations(range(count))), np.int64)
    members = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    is_member = np.array(members if has_members else [], np.bool_)
    ticks, masks = np.arange(count) * 2, np.arange(1, count + 1, dtype=np.uint64)
    rank = np.array([] if is_ordered else np.argsort(order) + 1, np.int64)
    counts, begin = np.empty((1, size), np.int64), np.empty(size + 1, np.int64)
    count_events(code, is_member, order, 0, count, counts[0])
    total = find_places(counts, begin)
    empty = np.empty((3, total), np.int64)
    room = Grouped(*empty, np.empty(total, np.uint64), begin)
    place_events(code, is_member, order, rank, ticks, masks, 0, count, counts[0], room)
    events, begin = group_few(code, is_member, order, size)
    few = grouped_few(events, begin, ticks, rank, masks)
    if not rank.size:
        room.key_rank[:] = room.event + 1
    for one, other in zip(few, room, strict=True):
        assert one.tolist() == other.tolist()


@given(st.lists(st.tuples(small, st.integers(0, 2)), max_size=8))
def test_ranks(pairs):
    values, partition = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    order = np.argsort(values)
    number = np.cumsum(np.diff(values[order], prepend=values[order][:1]) != 0)
    latest, size, rank = np.full(3, -1), np.zeros(3, np.int64), np.empty(values.size, np.int64)
    rank_in_partitions(order, number, partition, latest, size, rank)
    of_item = np.empty(values.size, np.int64)
    of_item[order] = number
    few_size, few_rank = rank_few(of_item, partition, 3)
    assert (few_size.tolist(), few_rank.tolist()) == (size.tolist(), rank.tolist())


numbers = st.sampled_from([0.0, 1.0, -1.0, 3.5, 2.0**60, -(2.0**60), 1e-300, 2.0**250])
value_rows = st.lists(st.tuples(st.integers(0, 2), numbers, small, small), max_size=8)


def totals() -> ValueRows:
    zero = np.zeros((4, 3, 1), np.int64)
    least = np.full((3, 1), NOTHING)
    return ValueRows(zero[0, :, 0], zero[1, :, 0], np.zeros((3, 1)), zero[2], zero[3], least)


@given(value_rows, st.sampled_from([0, 7]))
def test_sums(rows, modulus):
    keys = np.array([key for key, *_ in rows], np.int64)
    none, shape = np.zeros(len(rows), np.int64), (len(rows), 1)
    given_rows = ValueRows(
        none,
        none,
        np.array([each[1] for each in rows]).reshape(shape),
        np.zeros(shape, np.int64),
        np.array([each[2] for each in rows], np.int64).reshape(shape),
        np.array([each[3] for each in rows], np.int64).reshape(shape),
    )
    moduli, few, many = np.array([modulus]), totals(), totals()
    add_by_key(keys, given_rows, moduli, many)
    if add_few(keys, given_rows, moduli, few):
        assert [each.tolist() for each in few] == [each.tolist() for each in many]
    else:
        assert [each.tolist() for each in few] == [each.tolist() for each in totals()]


@pytest.mark.parametrize("few", [FEW, -1])
@pytest.mark.parametrize("window", ["", "WITHIN 20", "WITHIN 30 SLIDE 10"])
@pytest.mark.parametrize("pattern", ["A+ a", "A{3,} a", "SEQ(A+ a, B b)", "SEQ(A a, B+ b)"])
def test_counts_are_those_of_matches(few, window, pattern):
    draw = np.random.default_rng(4)
    events = pa.table(
        {
            "ts": np.arange(40) // 2,
            "kind": draw.choice(["A", "B"], 40),
            "k": draw.integers(0, 6, 40),
            "x": draw.integers(0, 9, 40),
        }
    )
    variable = "b" if "B+" in pattern else "a"
    clause = f"[k] AND {variable}[i].x - {variable}[i-1].x < 3"
    text = f"PATTERN {pattern} WHERE {clause} {window} RETURN COUNT(*) AS n"
    counts = cepheid.query(text).run(events, time="ts", type="kind")
    with few_are(few):
        assert cepheid.query(text).run(events, time="ts", type="kind") == counts
    if not window:
        matches = cepheid.query(f"PATTERN {pattern} WHERE {clause}")
        assert counts["n"].to_pylist() == [matches.run(events, time="ts", type="kind").num_rows]


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # plain Python warns
@pytest.mark.parametrize("few", [FEW, -1])
@pytest.mark.parametrize("clause", ["a[i].x - a[i-1].x < 3", "3 > a[i].x - a[i-1].x"])
@pytest.mark.parametrize("returned", ["COUNT(*) AS n", "SUM(a.x) AS s"])
def test_a_difference_that_leaves_64_bits_is_an_error(few, clause, returned):
    events = pa.table({"ts": [1, 2, 3], "x": [-(2**63), 5, 2**63 - 1]})
    query = cepheid.query(f"PATTERN A+ a WHERE {clause} RETURN {returned}")
    with few_are(few), pytest.raises(cepheid.DataError, match="64-bit"):
        query.run(events, time="ts")


def test_differences_of_large_values_that_stay_in_64_bits():
    events = pa.table({"ts": [1, 2, 3], "x": [2**63 - 4, 2**63 - 3, 2**63 - 1]})
    text = "PATTERN A{2,} a WHERE a[i].x - a[i-1].x = 2 RETURN COUNT(*) AS n"
    assert cepheid.query(text).run(events, time="ts").to_pylist() == [{"n": 1.0}]


def test_counts_beyond_doubles_are_those_of_integers():
    """Without a kernel for large numbers, which would have to be compiled for few events."""
    counts: list[int] = []
    for _ in range(1500):
        counts.append(1 + sum(counts[-9:]))
    events = pa.table({"ts": range(1500), "kind": ["F"] * 1500})
    query = cepheid.query(
        "PATTERN F+ f WHERE f[i].ts - f[i-1].ts < 10 RETURN LOG2(COUNT(*)) AS magnitude"
    )
    run = query.analyze(cepheid.events(events, time="ts", type="kind"))
    (row,) = run.result.to_pylist()
    exact = sum(counts)
    assert row["magnitude"] == pytest.approx(1000 + math.log2(exact >> 1000), rel=1e-12)
    assert run.report.groups[0].ran == "few counts looked up"


FIRST_USE = """
import contextlib, json, cepheid, pyarrow as pa
from cepheid.engine.events.is_few import as_if_many
from cepheid.kernels.compiling import watching_compilations
events = pa.table({"ts": range(10_000), "kind": ["F"] * 10_000})
text = "PATTERN F+ f WHERE f[i].ts - f[i-1].ts < 10 RETURN LOG2(COUNT(*)) AS bits"
found, compiled = [], []
for how in (contextlib.nullcontext, as_if_many):
    with watching_compilations() as some, how():
        found += cepheid.query(text).run(events, time="ts", type="kind")["bits"].to_pylist()
    compiled.append("count_any" in {each.name.rsplit(".")[-1] for each in some})
print(json.dumps([found, compiled]))
"""


@pytest.mark.slow
def test_a_kernel_for_large_numbers_is_not_compiled_for_few_events(tmp_path):
    """The first use counts with integers; where the kernel is there, it gives the same."""
    (tmp_path / "kernels").mkdir(mode=0o700)
    said = output_of(FIRST_USE, CEPHEID_CACHE_DIR=str(tmp_path / "kernels"))
    (few, many), compiled = json.loads(said.splitlines()[-1])
    assert few == pytest.approx(many, rel=1e-12)
    assert compiled == [False, True]
