"""For every event, the latest start of a match of a negated part that ends there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.events.ticks import earlier
from cepheid.engine.matches.find_latest_starts import latest_starts
from cepheid.engine.matches.fold_graph import FoldTask, RunFold, all_partitions, node_count
from cepheid.engine.matches.match_chunks import advance
from cepheid.engine.matches.run_arrays import run_rules
from cepheid.errors import LiveStateError
from cepheid.kernels.graph.match_nodes import (
    END_COUNT,
    END_NODE,
    EVENT,
    HEADS,
    HEADS_END,
    LATEST_START,
    LIVE_COUNT,
    NEVER,
    NEXT_STEP,
    PARTITION,
    POSITION,
    SLOTS,
    Graph,
)
from cepheid.kernels.graph.run_graph import LAST_EVENT
from cepheid.program.negation_program import NegatedProgram
from cepheid.program.program import Program, StrategyCode
from cepheid.program.run_program import RunProgram

Int64s = NDArray[np.int64]
LEAST_NODES = 2**12  # that are folded before those with the same future become one


def negative_starts(
    program: Program, part: NegatedProgram, ordered: OrderedEvents, predicates: PredicateInputs
) -> Int64s:
    """Return ranks of order keys, 0 where no match of the part ends.

    Without tests on its matches they need not be told apart. With tests a graph of runs is folded,
    whose clock is the rank: every node knows the latest start among its runs. Runs with the same
    future become one, as far as their last events are not read.
    """
    starts = np.zeros(ordered.row.size, np.int64)
    if part.runs is None:
        return latest_starts(part, ordered)
    fold = _fold(part, part.runs, ordered, predicates)
    is_done, kept = False, 0
    while not is_done:
        size, step = fold.graph.nodes.shape[0], int(fold.graph.cursor[NEXT_STEP])
        is_done = advance(fold, min(size, max(LEAST_NODES, 4 * kept)), ordered)
        nodes = fold.graph.nodes[fold.graph.ends[: fold.graph.cursor[END_COUNT], END_NODE]]
        np.maximum.at(starts, nodes[:, EVENT], nodes[:, LATEST_START])
        if not is_done:
            if not _reads_last_event(part.runs):
                _drop_earlier_starts(fold)
            # Nobody walks back: what led to a node is not needed, only its latest start.
            fold.graph.nodes[:, HEADS_END] = fold.graph.nodes[:, HEADS]
            fold.compact(_limit(fold.graph, ordered, program.window_length or 0))
            kept = node_count(fold.graph)
            if kept > (most := max(fold.most_live or 0, program.live_limit or 0)):
                raise LiveStateError(program.name, "of a negated part", kept, most)
            if 2 * kept > size or step == fold.graph.cursor[NEXT_STEP]:
                fold.grow()
    return starts


def _reads_last_event(runs: RunProgram) -> bool:
    """Whether what becomes of a run depends on its last event, not just on its slots."""
    operands = (each for tests in runs.tests for test in tests for each in test.operands)
    return any(each.function < 0 and each.source == LAST_EVENT for each in operands)


def _drop_earlier_starts(fold: RunFold) -> None:
    """Of waiting nodes with the same position and slots, keep the one that started last."""
    graph, count = fold.graph, int(fold.graph.cursor[LIVE_COUNT])
    live = fold.live[:count]
    live = live[np.argsort(-graph.nodes[live, LATEST_START], kind="stable")]
    slots = graph.nodes[live][:, [POSITION, *range(SLOTS, graph.nodes.shape[1])]]
    floats = np.ascontiguousarray(fold.floats[live]).view(np.int64)
    _, first = np.unique(np.concatenate((slots, floats), axis=1), axis=0, return_index=True)
    graph.cursor[LIVE_COUNT] = first.size
    fold.live[: first.size] = np.sort(live[first])


def _fold(
    part: NegatedProgram, runs: RunProgram, ordered: OrderedEvents, predicates: PredicateInputs
) -> RunFold:
    events = ordered.arrays._replace(
        fires=ordered.negative_fires[part.masks], clock=np.ascontiguousarray(ordered.key_rank)
    )
    return RunFold(
        automaton_arrays(part.automaton, StrategyCode.SKIP_TILL_ANY),
        run_rules(runs, part.automaton, predicates.columns, predicates.code),
        predicates.columns,
        FoldTask(events, all_partitions(events), window=0),
        runs.may_overflow,
    )


def _limit(graph: Graph, ordered: OrderedEvents, window: int) -> int:
    """Return the rank at or before which a match that goes on cannot lie within the window."""
    step, steps = int(graph.cursor[NEXT_STEP]), ordered.arrays.step_offsets
    if window == 0 or step == 0:
        return NEVER
    first = ordered.arrays.partition_offsets[graph.cursor[PARTITION]]
    begin, end = int(steps[first]), int(steps[step])
    clock = ordered.arrays.clock[begin:end]
    if clock.size == 0:
        return NEVER
    too_old = int(np.searchsorted(clock, earlier(clock[-1:], window)[0], side="right"))
    return int(ordered.key_rank[begin + too_old - 1]) if too_old else NEVER
