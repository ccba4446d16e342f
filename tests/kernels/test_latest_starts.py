"""The latest start per end, against following every run."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.kernels.arrays import SKIP_TILL_ANY
from cepheid.kernels.graph.latest_starts import NO_START, find_latest_starts
from tests.kernels.automata import all_matches, cases, event_arrays

FIRST_RANK = 5  # keys are from -4, ranks from 1


def is_open(run, rank, cuts, edges):
    """Whether every edge of a run starts at its cut or later."""
    return all(
        rank[before] >= cuts[edges.index((source, target)), event]
        for (before, source), (event, target) in pairwise(run)
    )


@settings(max_examples=200)
@given(cases(), st.randoms(use_true_random=False))
def test_latest_starts_are_those_of_the_runs(case, random):
    automaton, events = case
    automaton = replace(automaton, strategy=SKIP_TILL_ANY)
    size = len(automaton.follow)
    edges = [(p, q) for q in range(size) for p in range(size) if q in automaton.follow[p]]
    cuts = np.array([[random.randint(0, 9) for _ in events] for _ in edges], np.int64)
    cuts = cuts.reshape(len(edges), len(events))
    rank = np.array([each.key + FIRST_RANK for each in events], np.int64)
    expected = [NO_START] * len(events)
    for run in all_matches(automaton, events):
        if is_open(run, rank, cuts, edges):
            end = run[-1][0]
            expected[end] = max(expected[end], int(rank[run[0][0]]))
    found = find_latest_starts(automaton.arrays(), event_arrays(events), rank, cuts)
    assert found.tolist() == expected


@given(cases())
def test_an_empty_table_cuts_nothing(case):
    automaton, events = case
    automaton = replace(automaton, strategy=SKIP_TILL_ANY)
    rank = np.array([each.key + FIRST_RANK for each in events], np.int64)
    edges = sum(map(len, automaton.follow))
    arguments = (automaton.arrays(), event_arrays(events), rank)
    found = [
        find_latest_starts(*arguments, np.zeros(shape, np.int64)).tolist()
        for shape in ((edges, len(events)), (0, 0))
    ]
    assert found[0] == found[1]
