"""The graph of runs: all matches of a stream, sharing what they have in common.

A node is an event at a position (together with what later predicates read of the run, see
run_graph.py). Its predecessors lie in linked lists of cells; `heads` has the first cell of each
list. Two folds build it: match_graph.py, where the nodes that wait at a position are one list that
all later nodes share, and build_run_graph.py, where every node has a list of its own. What reads a
graph (walk_graph.py, count_graph.py, compact_graph.py) does not know which fold made it.

A cell knows the latest start among the runs through it and through the rest of its list, so that
a walk backwards stops as soon as nothing in reach started late enough for the window.

Tables are two-dimensional arrays with one row per node or cell: a row lies in one cache line, and
passing many small arrays to a compiled function costs much more to compile.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Bytes, Int64s
from cepheid.kernels.jit import inlined

NONE = -1
NEVER, ALWAYS = -(2**63), 2**63 - 1

# Columns of `nodes`; slots of runs follow. START is the clock of a run that starts here, else
# NEVER; REMOVED the clock at which the runs that wait here were ended by the strategy, else ALWAYS;
# ROOT the node whose REMOVED counts.
EVENT, POSITION, START, LATEST_START, HEADS, HEADS_END, ROOT, REMOVED = 0, 1, 2, 3, 4, 5, 6, 7
SLOTS = 8
# Columns of `cells`.
NODE, NEXT, LATEST = 0, 1, 2
# Columns of `ends`: a node at which matches end, after which clock they must have started, and how
# late they may have.
END_NODE, START_AFTER, START_AT_MOST = 0, 1, 2
END_WIDTH = 3

# Entries of `cursor`: how far the fold has come, and what it has written.
NODE_COUNT, HEAD_COUNT, CELL_COUNT, END_COUNT = 0, 1, 2, 3
NEXT_STEP, PARTITION, RANK_BEFORE, LIVE_COUNT, FAILED_EVENT = 4, 5, 6, 7, 8
CURSOR_SIZE = 9

# Why a fold returned.
DONE, IS_FULL, HAS_OVERFLOW = 0, 1, 2


class Graph(NamedTuple):
    """Nodes in order of creation; the arrays have room to spare, `cursor` says how much is used."""

    nodes: Int64s
    heads: Int64s
    cells: Int64s
    ends: Int64s
    cursor: Int64s


class MatchArrays(NamedTuple):
    """Match m is `event[offsets[m]:offsets[m + 1]]`, with the position of every event."""

    offsets: Int64s
    event: Int64s
    position: Bytes


@inlined
def add_end(graph: Graph, node: int) -> None:
    """Note that matches end at a node."""
    at = graph.cursor[END_COUNT]
    graph.ends[at, END_NODE], graph.ends[at, START_AT_MOST] = node, ALWAYS
    graph.ends[at, START_AFTER] = NEVER
    graph.cursor[END_COUNT] += 1


@inlined
def start_limit(clock: int, window_length: int) -> int:
    """Return the clock after which runs that end at a clock must have started; 0 is no window."""
    return clock - window_length if window_length > 0 else NEVER
