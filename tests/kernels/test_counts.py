"""Counting gives the number of the matches that following every run gives."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.count_recent import count_recent
from cepheid.kernels.count_trends import count_per_partition, count_per_window
from tests.kernels.automata import all_matches, cases, event_arrays, mask, starts


def numbers(rows):
    """The counts of small results: mantissa and low word say the same."""
    assert (rows.tier == 0).all()
    assert (rows.mantissa == rows.low).all()
    return rows.low.tolist()


@settings(max_examples=200)
@given(cases())
def test_per_partition(case):
    automaton, events = case
    rows = count_per_partition(automaton.arrays(), event_arrays(events))
    partitions = sorted({each.partition for each in events})
    expected = dict.fromkeys(partitions, 0)
    for run in all_matches(automaton, events):
        expected[events[run[0][0]].partition] += 1
    assert rows.owner.tolist() == list(range(len(partitions)))
    assert numbers(rows) == list(expected.values())


@settings(max_examples=200)
@given(cases(), st.integers(1, 6), st.data())
def test_per_window(case, length, data):
    automaton, events = case
    slide = data.draw(st.integers(1, length))
    rows = count_per_window(automaton.arrays(), event_arrays(events), length, slide)
    partitions = sorted({each.partition for each in events})
    expected: dict[tuple[int, int], int] = {}
    for run in all_matches(automaton, events):
        begin, end = events[run[0][0]].key, events[run[-1][0]].key
        owner = partitions.index(events[run[0][0]].partition)
        for window in range(-20, 20):
            if window * slide <= begin and end < window * slide + length:
                expected[owner, window] = expected.get((owner, window), 0) + 1
    found = zip(rows.owner.tolist(), rows.window.tolist(), numbers(rows), strict=True)
    assert {(owner, window): count for owner, window, count in found} == expected


def moments_of(events, group_of):
    """The arrays that `count_recent` takes: ordered by group, key and partition."""
    ordered = sorted(
        range(len(events)),
        key=lambda at: (group_of(events[at]), events[at].key, events[at].partition),
    )
    listed = [events[at] for at in ordered]
    steps = starts([(group_of(each), each.key, each.partition) for each in listed])
    moments = starts([(group_of(listed[at]), listed[at].key) for at in steps[:-1]])
    keys = np.array([each.key for each in listed], np.int64)
    arrays = EventArrays(
        np.array([mask(each.fires) for each in listed], np.uint64),
        keys,
        keys.copy(),
        np.array(steps, np.int64),
        np.array([0, len(steps) - 1], np.int64),
    )
    return listed, arrays, steps, moments


@settings(max_examples=200)
@given(cases(), st.integers(1, 6), st.integers(1, 3))
def test_recent(case, length, groups):
    automaton, events = case

    def group_of(event):
        return event.partition % groups

    listed, arrays, steps, moments = moments_of(events, group_of)
    rows = count_recent(
        automaton.arrays(),
        arrays,
        np.array([listed[at].partition for at in steps[:-1]], np.int64),
        np.array(moments, np.int64),
        np.array([group_of(listed[steps[at]]) for at in moments[:-1]], np.int64),
        length,
        False,
    )
    runs = [(events[run[0][0]], events[run[-1][0]]) for run in all_matches(automaton, events)]
    expected = []
    for at, until in itertools.pairwise(moments):
        here = [each for each in listed[steps[at] : steps[until]]]
        group, now = group_of(here[0]), here[0].key
        if any(automaton.last & set(each.fires) for each in here):
            covered = [
                first for first, last in runs
                if group_of(first) == group and first.key > now - length and last.key <= now
            ]  # fmt: skip
            expected.append((group, at, len(covered)))
    found = zip(rows.owner.tolist(), rows.window.tolist(), numbers(rows), strict=True)
    assert list(found) == expected
