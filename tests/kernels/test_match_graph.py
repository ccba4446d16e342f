"""The match graph gives what following every run gives."""

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.engine.matches.fold_graph import ChainFold, FoldTask, all_partitions
from cepheid.engine.matches.match_chunks import empty_chunk, joined, walk_in_chunks
from cepheid.kernels.graph.match_nodes import (
    DONE,
    END_COUNT,
    EVENT,
    IS_FULL,
    LATEST,
    LATEST_START,
    NEXT_STEP,
    NODE_COUNT,
)
from tests.kernels.automata import all_matches, cases, event_arrays


def walked(fold, ends, clock, window):
    return walk_in_chunks(fold.graph, ends, clock, window, empty_chunk())


def fold_of(automaton, events, window):
    arrays = event_arrays(events)
    return ChainFold(automaton.arrays(), FoldTask(arrays, all_partitions(arrays), window))


def as_counter(found):
    pairs = list(zip(found.event.tolist(), found.position.tolist(), strict=True))
    bounds = found.offsets.tolist()
    return Counter(tuple(pairs[a:b]) for a, b in itertools.pairwise(bounds))


def matches_of_kernel(automaton, events, window, most_nodes):
    """Fold with compaction whenever the graph has so many nodes."""
    fold, found = fold_of(automaton, events, window), Counter()
    clock = fold.events.clock
    while True:
        outcome = fold.advance(most_nodes)
        ends = fold.graph.ends[: fold.graph.cursor[END_COUNT]]
        found += as_counter(joined(walked(fold, ends, clock, window)))
        if outcome == DONE:
            return found
        assert outcome == IS_FULL
        step = int(fold.graph.cursor[NEXT_STEP])
        last_clock = clock[fold.events.step_offsets[step - 1]] if step else -(2**62)
        fold.compact(last_clock - window if window else -(2**63))
        most_nodes = max(most_nodes, 2 * int(fold.graph.cursor[NODE_COUNT]))
        if step < fold.events.step_offsets.size - 1 and outcome == IS_FULL:
            fold.grow()


@settings(max_examples=200)
@given(cases(), st.integers(0, 6), st.sampled_from([1, 3, 10, 1000]))
def test_matches_are_those_of_the_runs(case, window, most_nodes):
    automaton, events = case
    expected = Counter(
        run
        for run in all_matches(automaton, events)
        if window == 0 or events[run[-1][0]].key - events[run[0][0]].key < window
    )
    assert matches_of_kernel(automaton, events, window, most_nodes) == expected


@given(cases(), st.integers(1, 4))
def test_the_graph_keeps_no_node_that_the_window_rules_out(case, window):
    automaton, events = case
    fold = fold_of(automaton, events, window)
    assert fold.advance(10**6) == DONE
    count = fold.graph.cursor[NODE_COUNT]
    nodes, cells = fold.graph.nodes[:count], fold.graph.cells[:count]
    assert (nodes[:, LATEST_START] > fold.events.clock[nodes[:, EVENT]] - window).all()
    assert (cells[:, LATEST] >= nodes[:, LATEST_START]).all()
    fold.compact(int(fold.events.clock.max(initial=0)) - window)
    kept = fold.graph.cursor[NODE_COUNT]
    assert (fold.graph.cells[:kept, LATEST] > fold.events.clock.max(initial=0) - window).all()
