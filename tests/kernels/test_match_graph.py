"""The match graph gives what following every run gives."""

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.kernels.match_graph import build_match_graph, enumerate_matches
from tests.kernels.automata import all_matches, cases, event_arrays


def matches_of_kernel(automaton, events, window):
    arrays, event_data = automaton.arrays(), event_arrays(events)
    graph = build_match_graph(arrays, event_data, window)
    found = enumerate_matches(graph, arrays, event_data.clock, window)
    pairs = list(zip(found.event.tolist(), found.position.tolist(), strict=True))
    bounds = found.offsets.tolist()
    return Counter(tuple(pairs[a:b]) for a, b in itertools.pairwise(bounds))


@settings(max_examples=200)
@given(cases(), st.integers(0, 6))
def test_matches_are_those_of_the_runs(case, window):
    automaton, events = case
    expected = Counter(
        run
        for run in all_matches(automaton, events)
        if window == 0 or events[run[-1][0]].key - events[run[0][0]].key < window
    )
    assert matches_of_kernel(automaton, events, window) == expected


@given(cases(), st.integers(1, 4))
def test_the_graph_keeps_no_node_that_the_window_rules_out(case, window):
    automaton, events = case
    arrays, event_data = automaton.arrays(), event_arrays(events)
    graph = build_match_graph(arrays, event_data, window)
    assert (graph.latest_start > event_data.clock[graph.event] - window).all()
    assert (graph.chain_latest_start >= graph.latest_start).all()
