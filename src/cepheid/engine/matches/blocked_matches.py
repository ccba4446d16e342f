"""Matches of negated parts, and the matches that they block."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.events.ticks import earlier, later
from cepheid.engine.matches.fold_graph import ChainFold, FoldTask, all_partitions, longest_path
from cepheid.engine.matches.match_chunks import (
    empty_chunk,
    grow_whole,
    joined,
    picked,
    reject_overflow,
    walk_in_chunks,
)
from cepheid.engine.matches.negative_starts import negative_starts
from cepheid.engine.matches.run_arrays import path_tables
from cepheid.errors import DataError
from cepheid.kernels.graph.build_run_graph import Room, make_room
from cepheid.kernels.graph.count_graph import TOO_MANY, count_graph
from cepheid.kernels.graph.match_nodes import END_COUNT, MatchArrays
from cepheid.kernels.graph.negation import (
    END_CLOCK,
    END_RANK,
    EVENT_BEGIN,
    EVENT_END,
    LAST_MOMENT,
    START_CLOCK,
    START_RANK,
    WIDTH,
    EventKeys,
    NegationRules,
    NegativeMatches,
    Reach,
    find_smallest_ends,
    find_unblocked,
)
from cepheid.kernels.predicates.predicate_machine import OVERFLOW
from cepheid.program.negation_program import NegatedProgram, NegationProgram
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import Program, StrategyCode

Int64s = NDArray[np.int64]
MOST_NEGATIVE = 2**23  # matches of a repetition that are kept at once


class NegationFilter:
    """Tells which matches stay; the matches of negated parts are found once."""

    def __init__(
        self,
        program: Program,
        negation: NegationProgram,
        ordered: OrderedEvents,
        predicates: PredicateInputs,
    ) -> None:
        self.ordered = ordered
        self.predicates = predicates
        self.window = program.window_length or 0
        self.may_overflow = program.runs.may_overflow
        self.keys = EventKeys(
            np.ascontiguousarray(ordered.key_rank), ordered.arrays.clock, ordered.partition_of_event
        )
        self.rules = _rules(program.automaton, negation)
        self.negatives = _negative_matches(program, negation, ordered, predicates, self.keys)
        self.room = self._room()

    def for_another_thread(self) -> NegationFilter:
        """Return a filter that shares what is only read."""
        other = copy(self)
        other.room = self._room()
        return other

    def _room(self) -> Room:
        return make_room(longest_path(self.ordered.arrays), len(self.predicates.code.rows))

    def unblocked(self, matches: MatchArrays, *, ended: bool = True) -> MatchArrays:
        """Return the matches that no negated part blocks; a partial match has not ended."""
        return picked(matches, self.find_unblocked(matches, self.reach(matches), ended=ended))

    def reach(self, matches: MatchArrays) -> Reach:
        """Return how far borders look in a match query: as far as WITHIN would let a match be."""
        first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
        return Reach(
            earlier(self.keys.clock[last], self.window),
            np.full(first.size, LAST_MOMENT),
            later(self.keys.clock[first], self.window),
        )

    def find_unblocked(self, matches: MatchArrays, reach: Reach, *, ended: bool = True) -> Int64s:
        """Return the numbers of the matches that no negated part blocks."""
        stays = find_unblocked(
            matches,
            self.rules,
            self.negatives,
            self.keys,
            reach,
            ended,
            self.predicates.code,
            self.predicates.columns,
            self.room,
        )
        failed = np.flatnonzero(stays == OVERFLOW)
        if failed.size:
            event = matches.event[matches.offsets[failed[0]]]
            reject_overflow(self.may_overflow, int(self.ordered.row[event]))
        return np.flatnonzero(stays == 1)


def _rules(automaton: PositionAutomaton, negation: NegationProgram) -> NegationRules:
    positions = len(automaton.follow)
    binding_of = np.full((positions, positions), -1, np.int64)
    for binding, (source, target) in enumerate(automaton.edges):
        binding_of[source, target] = binding
    groups = [group for each in negation.branches for group in (*each.negative, each.positive)]
    return NegationRules(
        np.concatenate(([0], np.cumsum([len(each) for each in negation.gaps]))).astype(np.int64),
        np.array([mask for each in negation.gaps for mask in each], np.int64),
        binding_of,
        path_tables(groups),
        len(negation.branches),
        len(negation.parts),
    )


def _negative_matches(
    program: Program,
    negation: NegationProgram,
    ordered: OrderedEvents,
    predicates: PredicateInputs,
    keys: EventKeys,
) -> NegativeMatches:
    """Return the matches of all parts, sorted by part, partition and start."""
    partitions = ordered.arrays.partition_offsets.size - 1
    offsets = np.zeros((len(negation.parts), partitions + 1), np.int64)
    tables, events, positions = [], [], []
    rows_before, events_before = 0, 0
    for number, part in enumerate(negation.parts):
        if negation.has_conditions(number):
            found = _enumerated(program, part, ordered, predicates)
            table, owner = _table_of(found, keys)
            table[:, [EVENT_BEGIN, EVENT_END]] += events_before
            events.append(found.event)
            positions.append(found.position.astype(np.int64))
            events_before += found.event.size
        else:
            starts = negative_starts(program, part, ordered, predicates)
            table, owner = _latest_table(starts, keys)
        order = np.lexsort([table[:, START_RANK], owner])
        tables.append(table[order])
        offsets[number] = rows_before + np.searchsorted(owner[order], np.arange(partitions + 1))
        rows_before += table.shape[0]
    table = np.ascontiguousarray(np.concatenate(tables))
    find_smallest_ends(offsets, table)
    none = [np.empty(0, np.int64)]
    return NegativeMatches(
        offsets, table, np.concatenate(events or none), np.concatenate(positions or none)
    )


def _enumerated(
    program: Program, part: NegatedProgram, ordered: OrderedEvents, predicates: PredicateInputs
) -> MatchArrays:
    """Return every match of a part; one that blocks lies within the window."""
    events = ordered.arrays._replace(fires=ordered.negative_fires[part.masks])
    automaton = automaton_arrays(part.automaton, StrategyCode.SKIP_TILL_ANY)
    window = program.window_length or 0
    task = FoldTask(events, all_partitions(events), window)
    graph = grow_whole(ChainFold(automaton, task), ordered, program)
    if any(target <= source for source, target in part.automaton.edges):
        count = count_graph(graph, events.clock, window)
        if count == TOO_MANY or count > MOST_NEGATIVE:
            _reject_negative(program, count)
    ends = graph.ends[: graph.cursor[END_COUNT]]
    found = joined(walk_in_chunks(graph, ends, events.clock, window, empty_chunk()))
    if part.inner is None:
        return found
    of_part = replace(program, automaton=part.automaton)
    return NegationFilter(of_part, part.inner, ordered, predicates).unblocked(found)


def _reject_negative(program: Program, count: int) -> NoReturn:
    number = "more than 2^63" if count == TOO_MANY else f"{count:,}"
    raise DataError(
        f"{program.name!r}: a negated part has {number} matches, and its conditions have to be "
        "tried on each",
        hint="shorten WITHIN, add a partition such as [attribute], or compare each event of the "
        "negated part by itself (n.x) instead of the repetition as a whole (sum(n[].x), n.LEN)",
    )


def _table_of(matches: MatchArrays, keys: EventKeys) -> tuple[Int64s, Int64s]:
    first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
    table = np.zeros((first.size, WIDTH), np.int64)
    table[:, START_RANK], table[:, START_CLOCK] = keys.rank[first], keys.clock[first]
    table[:, END_RANK], table[:, END_CLOCK] = keys.rank[last], keys.clock[last]
    table[:, EVENT_BEGIN], table[:, EVENT_END] = matches.offsets[:-1], matches.offsets[1:]
    return table, keys.partition[first]


def _latest_table(starts: Int64s, keys: EventKeys) -> tuple[Int64s, Int64s]:
    """Return a row for every event that ends a match, with the start that is latest.

    That match lies in every gap in which another match with that end lies.
    """
    last = np.flatnonzero(starts)
    table = np.zeros((last.size, WIDTH), np.int64)
    table[:, START_RANK] = starts[last]
    table[:, END_RANK], table[:, END_CLOCK] = keys.rank[last], keys.clock[last]
    table[:, START_CLOCK] = _clock_of_rank(keys, keys.partition[last], table[:, START_RANK])
    return table, keys.partition[last]


def _clock_of_rank(keys: EventKeys, partition: Int64s, rank: Int64s) -> Int64s:
    """Return the clock of the event with a rank in a partition; events are sorted by both."""
    span = int(keys.rank.max(initial=0)) + 1
    found = np.searchsorted(keys.partition * span + keys.rank, partition * span + rank)
    return keys.clock[found]
